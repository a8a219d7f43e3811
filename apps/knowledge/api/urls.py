"""Routes of the knowledge base."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
