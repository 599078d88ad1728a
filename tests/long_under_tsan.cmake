# As long_under_sanitizers.cmake, for ThreadSanitizer alone: runs of one thread that take it more than ten minutes, and
# the address sanitizer a minute and a half.
set_tests_properties(sim.All/RefutedScenes PROPERTIES LABELS slow)
