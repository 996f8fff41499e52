from hypothesis import settings

# Examples are small; what is slow now and then is the machine, not the code.
settings.register_profile("flgc", deadline=None, max_examples=60)
settings.load_profile("flgc")
