"""All configuration, read from the environment and `.env`; sane defaults for one machine.

What each variable means and how a wrong one is reported: `docs/configuration.md` and `manage.py check`.
Parsed key material is not kept here: settings are shown in error reports.
"""

from pathlib import Path
from typing import Any

import environ
from csp.constants import NONCE

from agentteam.databases import database_settings
from agentteam.logs import logging_settings
from agentteam.variables import Environment, whole_number
from searchengines.providers import ALL

BASE_DIR = Path(__file__).resolve().parent.parent

env = Environment()
environ.Env.read_env(env.str("AGENTTEAM_ENV_FILE", str(BASE_DIR / ".env")))

# Django ---------------------------------------------------------------------------------------------

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY", "")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
ROOT_URLCONF = "agentteam.urls"
WSGI_APPLICATION = "agentteam.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
APPEND_SLASH = False

INSTALLED_APPS = [
    "apps.workspaces",
    "apps.activity",
    "apps.marketplace",
    "extensions",
    "apps.knowledge",
    "apps.console",
    "searchengines",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "axes",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

# The pages' middleware runs for pages only: see agentteam/middleware.py.
MIDDLEWARE = [
    "agentteam.middleware.RequestMiddleware",
    "agentteam.middleware.PageSecurity",
    "agentteam.middleware.PageStaticFiles",
    "agentteam.middleware.PageContentSecurityPolicy",
    "agentteam.middleware.PageSessions",
    "agentteam.middleware.PageLocale",
    "agentteam.middleware.PageCommon",
    "agentteam.middleware.PageCsrf",
    "agentteam.middleware.PageAuthentication",
    "agentteam.middleware.PageMessages",
    "agentteam.middleware.PageFrameOptions",
    "agentteam.middleware.PageHtmx",
    "agentteam.middleware.PageAxes",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]

# Data -----------------------------------------------------------------------------------------------

DATABASES = {"default": database_settings(env, BASE_DIR)}
REDIS_URL = env.str("REDIS_URL", "")
CACHES: dict[str, dict[str, Any]] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

# People ---------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "workspaces.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "console:sign-in"
LOGIN_REDIRECT_URL = "console:home"
LOGOUT_REDIRECT_URL = "console:sign-in"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "apps.console.sign_in.locked_out"
AXES_CLIENT_IP_CALLABLE = "apps.console.sign_in.client_ip"
AXES_USERNAME_FORM_FIELD = "username"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# Ours are subclasses that run for pages only.
SILENCED_SYSTEM_CHECKS = ["axes.W002", "security.W001", "security.W002", "security.W003"]

# Browser security -----------------------------------------------------------------------------------

AGENTTEAM_HTTPS = env.bool("AGENTTEAM_HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = AGENTTEAM_HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = AGENTTEAM_HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if AGENTTEAM_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = AGENTTEAM_HTTPS
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
AGENTTEAM_BEHIND_PROXY = env.bool("AGENTTEAM_BEHIND_PROXY", False)
if AGENTTEAM_BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "apps.console.error_pages.csrf_failure"
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'", NONCE],
        "style-src": ["'self'", NONCE],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

# API ------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": ["apps.workspaces.api.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["apps.workspaces.api.rendering.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "apps.workspaces.api.rendering.FixedNegotiation",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "agentteam.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
}

# Static files ---------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "searchengines" / "providers" / provider.slug / "static" for provider in ALL]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# Language and time ----------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

# The platform ---------------------------------------------------------------------------------------

AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = env.str("AGENTTEAM_APP_CREDENTIALS_MASTER_KEY", "")
AGENTTEAM_APP_CREDENTIALS_MASTER_KEY_PREVIOUS = env.list("AGENTTEAM_APP_CREDENTIALS_MASTER_KEY_PREVIOUS", default=[])
AGENTTEAM_ALLOW_LOOPBACK_ORIGINS = env.bool("AGENTTEAM_ALLOW_LOOPBACK_ORIGINS", False)
AGENTTEAM_SEARCH_ORIGINS = {
    provider.slug: origin
    for provider in ALL
    if provider.origin is not None and (origin := env.str(f"AGENTTEAM_SEARCH_ORIGIN_{provider.slug.upper()}", ""))
}
AGENTTEAM_SEARXNG_ALLOW_LOOPBACK = env.bool("AGENTTEAM_SEARXNG_ALLOW_LOOPBACK", True)
AGENTTEAM_SEARXNG_CA_FILE = env.str("AGENTTEAM_SEARXNG_CA_FILE", "")
AGENTTEAM_EMBEDDING_ORIGINS = env.list("AGENTTEAM_EMBEDDING_ORIGINS", default=[])
AGENTTEAM_VAULT_ENV = env.bool("AGENTTEAM_VAULT_ENV", False)
AGENTTEAM_VAULT_BACKENDS = env.list("AGENTTEAM_VAULT_BACKENDS", default=[])
EXTENSION_MAX_RESPONSE_BYTES = whole_number(env, "EXTENSION_MAX_RESPONSE_BYTES", 262_144)
AGENTTEAM_EXEC_RATE = env.str("AGENTTEAM_EXEC_RATE", "600/min")
AGENTTEAM_TEST_RATE = env.str("AGENTTEAM_TEST_RATE", "20/min")
AGENTTEAM_SIGNIN_RATE = env.str("AGENTTEAM_SIGNIN_RATE", "10/min")
AGENTTEAM_CALLS_IN_FLIGHT = whole_number(env, "AGENTTEAM_CALLS_IN_FLIGHT", 256)
# Off in tests, which flush by hand.
AGENTTEAM_ACTIVITY_BACKGROUND = env.bool("AGENTTEAM_ACTIVITY_BACKGROUND", True)
AGENTTEAM_METRICS_TOKEN = env.str("AGENTTEAM_METRICS_TOKEN", "")
AGENTTEAM_PORT = whole_number(env, "PORT", 8000)
AGENTTEAM_KNOWLEDGE_MEMORY_MIB = whole_number(env, "AGENTTEAM_KNOWLEDGE_MEMORY_MIB", 256)
AGENTTEAM_KNOWLEDGE_UPLOAD_MIB = whole_number(env, "AGENTTEAM_KNOWLEDGE_UPLOAD_MIB", 20)

# Reports and logs show where a fault is, and nothing that anybody sent or stored.
DEFAULT_EXCEPTION_REPORTER = "agentteam.error_reports.Reporter"
DEFAULT_EXCEPTION_REPORTER_FILTER = "agentteam.error_reports.ReportFilter"
AGENTTEAM_LOG_LEVEL = env.str("AGENTTEAM_LOG_LEVEL", "INFO").upper()
AGENTTEAM_LOG_FORMAT = env.str("AGENTTEAM_LOG_FORMAT", "console" if DEBUG else "json")
LOGGING_CONFIG = "agentteam.logs.configure"
LOGGING = logging_settings(AGENTTEAM_LOG_LEVEL, AGENTTEAM_LOG_FORMAT)

# Booleans that are no word for yes or no: the system checks name them.
AGENTTEAM_UNCLEAR_BOOLEANS = env.unclear

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "AgentTeam Search",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.0",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # The document is written by hand: nothing is guessed from views.
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
}
