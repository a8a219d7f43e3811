"""People who sign in; an email address identifies a person, whatever its case."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from apps.workspaces.identifiers import new_user_id


def normalise_email(email: str) -> str:
    """The stored form of an address: no surrounding space, lower case throughout."""
    return email.strip().lower()


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **extra: Any) -> "User":
        """A saved person; without a password the account cannot sign in. ValueError: no email."""
        if not normalise_email(email):
            raise ValueError("A person needs an email address.")
        user = self.model(email=email, **extra)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **extra: Any) -> "User":
        """A saved person who may use the admin site without limits."""
        return self.create_user(email, password, **{**extra, "is_staff": True, "is_superuser": True})

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=normalise_email(username or ""))


class User(AbstractBaseUser, PermissionsMixin):
    """A person. `email` is kept in lower case, and the database refuses a second spelling of it."""

    id = models.CharField(primary_key=True, max_length=40, default=new_user_id, editable=False)
    email = models.EmailField(max_length=254, unique=True)
    name = models.CharField(max_length=200, blank=True, default="")
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=timezone.now, editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="workspaces_user_email_any_case")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = normalise_email(self.email)
        super().save(*args, **kwargs)

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.get_full_name()
