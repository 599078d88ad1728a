# What ctest reads last in builds with sanitizers: tests that are long there, over code that others run too. Sanitizers
# find what the code does wrong, not what its numbers say: statistics, the second scene of a kind, claims that exact
# rationals are asked about (most of the time goes into those), and scripts over what the program writes are for the
# optimised build. Here they have the label `slow`.
foreach(test
    advance.Certificate.EdgeClaimsAreTrueAndClearGapsAreCertified
    advance.Certificate.FixedAxisClaimsAreTrueAndClearGapsAreCertified
    advance.GapPolynomial.EdgeCoefficientsAreWithinTheirBounds
    advance.GapPolynomial.FaceCoefficientsAreWithinTheirBounds
    impact.RouthSet.StatisticsDependOnTheProblemAlone
    scenes.BundledScenes.TheDrumwrightDieTouchesAtThePublishedTime
    sim.Gripper.HoldsABoxForTenSecondsWithoutCreep
    sim.Manipulation.APegEndsInAHoleThatIsFiftyMicrometresWider
    sim.Manipulation.AnArmCarriesAMug
    sim.RobotImpacts.AQuadrupedLandsOnFourFeetByEveryModel
    sim.Terrain.StepsDoNotDependOnItsSize
    sim.TumbledHeap.FallsAndIsProved)
  set_tests_properties(${test} PROPERTIES LABELS slow)
endforeach()
