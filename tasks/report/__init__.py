"""What people read: tables, figures, claims."""
