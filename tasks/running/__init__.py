"""How stages run as Prefect tasks."""
