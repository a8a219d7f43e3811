"""Embedding models and stores, their documents, and the passages with their vectors."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import apps.knowledge.identifiers
import apps.knowledge.vectors


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0001_vector_extension"),
        ("workspaces", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=apps.knowledge.identifiers.new_document_id,
                        editable=False,
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("media_type", models.CharField(max_length=40)),
                ("size", models.PositiveIntegerField()),
                ("content_hash", models.CharField(max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[("pending", "Pending"), ("ready", "Ready"), ("failed", "Failed")],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("generation", models.PositiveIntegerField(default=0)),
                ("passages", models.PositiveIntegerField(default=0)),
                ("claim", models.CharField(blank=True, default="", max_length=40)),
                ("due_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="DocumentSource",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="source",
                        serialize=False,
                        to="knowledge.document",
                    ),
                ),
                ("text", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="EmbeddingModel",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=apps.knowledge.identifiers.new_model_key,
                        editable=False,
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("public_id", models.CharField(default=apps.knowledge.identifiers.new_public_model_id, max_length=128)),
                (
                    "kind",
                    models.CharField(
                        choices=[("local", "Local"), ("openai_compatible", "Openai Compatible")], max_length=20
                    ),
                ),
                ("base_url", models.CharField(blank=True, default="", max_length=2048)),
                ("model", models.CharField(max_length=200)),
                ("dimension", models.PositiveIntegerField(null=True)),
                ("envelope", models.BinaryField(null=True)),
                ("key_id", models.CharField(blank=True, db_index=True, default="", max_length=32)),
                ("revision", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="embedding_models",
                        to="workspaces.workspace",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="EmbeddingStore",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=apps.knowledge.identifiers.new_store_key,
                        editable=False,
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("public_id", models.CharField(default=apps.knowledge.identifiers.new_public_store_id, max_length=128)),
                ("generation", models.PositiveIntegerField(default=1)),
                ("next_generation", models.PositiveIntegerField(default=1)),
                ("revision", models.PositiveBigIntegerField(default=1)),
                ("passages", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="stores",
                        to="knowledge.embeddingmodel",
                    ),
                ),
                (
                    "next_model",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="next_stores",
                        to="knowledge.embeddingmodel",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="embedding_stores",
                        to="workspaces.workspace",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="document",
            name="store",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="documents", to="knowledge.embeddingstore"
            ),
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("generation", models.PositiveIntegerField()),
                ("ordinal", models.PositiveIntegerField()),
                ("title", models.CharField(max_length=220)),
                ("text", models.TextField()),
                ("vector", apps.knowledge.vectors.VectorField()),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="knowledge.document"
                    ),
                ),
                (
                    "store",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="knowledge.embeddingstore",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="workspaces.workspace",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="embeddingmodel",
            constraint=models.UniqueConstraint(fields=("workspace", "public_id"), name="one_embedding_model_an_id"),
        ),
        migrations.AddConstraint(
            model_name="embeddingstore",
            constraint=models.UniqueConstraint(fields=("workspace", "public_id"), name="one_embedding_store_an_id"),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["status", "due_at"], name="knowledge_document_due"),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(fields=("store", "name"), name="one_document_a_name"),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=models.Index(fields=["store", "generation"], name="knowledge_passage_set"),
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.UniqueConstraint(
                fields=("document", "generation", "ordinal"), name="one_passage_a_place"
            ),
        ),
    ]
