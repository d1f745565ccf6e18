"""What joins lexpool to other libraries; nothing here is imported with lexpool itself."""
