# What ctest reads last in builds with sanitizers: tests that are long there, over code that others run too. Sanitizers
# find what the code does wrong, not what its numbers say: statistics, the second scene of a kind, claims that exact
# rationals are asked about (most of the time goes into those), and scripts over what the program writes are for the
# optimised build. Here they have the label `slow`.
foreach(test
    advance.Certificate.EdgeClaimsAreTrueAndClearGapsAreCertified
    advance.Certificate.FixedAxisClaimsAreTrueAndClearGapsAreCertified
    advance.GapPolynomial.EdgeCoefficientsAreWithinTheirBounds
    advance.GapPolynomial.FaceCoefficientsAreWithinTheirBounds
    cli.RobotRuns.ACarThatDropsOnItsWheelsComesToRest
    friction.CoulombLarge.StacksUnderGravityAndWithAPushedTop
    geom.SeparationPath.KeptCacheIsExactAtEveryStep
    impact.EnergyRestitution.FrictionOnlyTakesEnergy
    impact.FanPotential.KnownSetsLieInside
    impact.FanPotential.RandomExactSetsLieInside
    impact.PlusRandom.OutcomesAreValid
    impact.Potential.RandomExactSetsLieInside
    impact.Propagative.SetIsIndependentOfOrderFrameAndUnits
    impact.RouthSet.StatisticsDependOnTheProblemAlone
    impact.SpatialSets.RelaxedPlanarSetsHoldTheExactOnes
    impact.StepModes.FindAllSolutionsThatEnumerationFinds
    methods.Variational.RobotThatFloatsKeepsItsMomentumAndNearlyItsEnergy
    scenes.BundledScenes.TheDrumwrightDieTouchesAtThePublishedTime
    sim.ElasticGas.InAFreeBoxKeepsItsMomenta
    sim.Gripper.HoldsABoxForTenSecondsWithoutCreep
    sim.Manipulation.APegEndsInAHoleThatIsFiftyMicrometresWider
    sim.Manipulation.AnArmCarriesAMug
    sim.RobotImpacts.AQuadrupedLandsOnAFreeBodyByEveryModel
    sim.RobotImpacts.AQuadrupedLandsOnFourFeetByEveryModel
    sim.Terrain.StepsDoNotDependOnItsSize
    sim.TumbledHeap.FallsAndIsProved
    sim.TumbledHeap.TheSameBitsAgain
    verify.Polynomial.SignsWithKnownMinimum
    viewer.ContinuationTest.TheImpulseProcessBalances
    viewer.ContinuationTest.TheSetOfAForkIsTheSimulationsOwn)
  set_tests_properties(${test} PROPERTIES LABELS slow)
endforeach()
