# What ctest reads last in builds with sanitizers: tests that are long there, over code that others run too. Sanitizers
# find what the code does wrong, not what its numbers say: statistics, the second scene of a kind, and scripts over what
# the program writes are for the optimised build. Here they have the label `slow`.
foreach(test
    impact.ResolversRandom.RouthWithRestitution
    impact.Coverage.FalseStopsAreWithinTheRisk
    impact.RouthSet.StatisticsDependOnTheProblemAlone
    scenes.BundledScenes.TheDrumwrightDieTouchesAtThePublishedTime
    sim.Gripper.HoldsABoxForTenSecondsWithoutCreep
    sim.Manipulation.APegEndsInAHoleThatIsFiftyMicrometresWider
    sim.Manipulation.AnArmCarriesAMug)
  set_tests_properties(${test} PROPERTIES LABELS slow)
endforeach()
