"""pgvector, on PostgreSQL; nothing on SQLite. The role needs the right to create the extension, or finds it there."""

from django.db import migrations
from pgvector.django import VectorExtension


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [VectorExtension()]
