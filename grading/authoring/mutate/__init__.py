"""Small wrong changes of a module's reference, made by rule, and which test notices each."""
