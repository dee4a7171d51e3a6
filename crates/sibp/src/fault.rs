//! Plants deliberate sampler bugs in tests, to show that the tests would catch them.

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A deliberate bug.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($(#[$doc])* $name,)*
        }

        /// Every deliberate bug.
        #[cfg(test)]
        pub(crate) const ALL: &[Fault] = &[$(Fault::$name),*];
    };
}

faults! {
    /// Bits are visited in storage order instead of a fresh random one.
    StorageOrderScan,
    /// Flips of an object's bits do not see the triplets in which it is the far one.
    ForgottenFar,
    /// Flips of an object's bits do not see the triplets in which it is the anchor.
    ForgottenAnchor,
    /// A bit that only one object owns is drawn by Gibbs like any other.
    SingletonGibbs,
    /// New singletons join the old ones instead of replacing them.
    SingletonsKept,
    /// New singletons come at rate α instead of α/N.
    BirthRate,
    /// New singletons are accepted by the inputs alone.
    BirthsWithoutTriplets,
    /// When a bit is removed, another one's weight is removed with it.
    WeightKept,
    /// Sums of triplets are not brought up to date after a visit.
    StaleSums,
    /// Variances rest on the mean of the bits' images V instead of a draw of V.
    MeanImages,
    /// The weights' slice lacks the Jacobian of the logarithm.
    WeightJacobian,
    /// The lapse rate's slice lacks the Jacobian of the logit.
    LapseJacobian,
    /// The slope's slice lacks the Jacobian of the logarithm.
    SlopeJacobian,
    /// Under the logistic link, an anchor's flip moves A - B by the weight, not by twice the weight.
    AnchorCountsOnce,
    /// All triplets are scored by the lapse rates of the first ones' judges.
    FirstJudges,
    /// A judge's lapse rate is drawn by the answers of all judges.
    LapseOfAll,
    /// The weights' total is drawn from its prior though the pseudo-weight makes it count.
    RescaledAnyway,
    /// α of the probit model is drawn with H_N instead of Λ.
    HarmonicRate,
    /// σg² is drawn as if it were conjugate, without Λ.
    ConjugateVariance,
    /// Λ is interpolated between the values of its table, not their logarithms.
    LinearRateTable,
    /// The elliptical slice is cut from the joint density instead of the likelihood.
    EllipseOfJoint,
    /// Sticks are drawn by adaptive rejection as if their prior were normal.
    NormalSticks,
    /// α is drawn while slice and inactive bits are represented.
    HyperWhileSliced,
    /// A flip that moves the lowest active stick is drawn as if the slice did not rest on it.
    SliceWithoutStick,
    /// All bits above the slice are added, not only those that nobody would own.
    UnthinnedAtoms,
    /// Objects visited at the same time flip bits that only they own.
    ClassTakesAll,
    /// The acceptance of births and deaths lacks the number of bits.
    BirthsWithoutNumber,
    /// Deaths evaluate another kind of proposal than the one that would bring the bit back.
    ForeignDeath,
    /// Complements are always accepted.
    ComplementAlways,
    /// Coefficients are drawn given utilities as if their prior were flat (Albert & Chib).
    CoefficientsWithoutPrior,
    /// Utilities keep the stick when coefficients are drawn given them (Albert & Chib).
    UtilitiesWithStick,
    /// Sticks given coefficients lack their prior intensity.
    SticksWithoutIntensity,
    /// The utilities of every part of the objects take the bits of the first part.
    PartsFromTheFirst,
    /// Neighbourhood births and deaths count the likeliest centre only, not the mixture over all.
    BestCentreOnly,
    /// Flips of a neighbourhood lack the ratio of priors.
    FlipWithoutPrior,
    /// Column moves are given up as if triplets could gain nothing (Gaussian).
    HopelessTooSoon,
    /// Births and deaths are given up as if triplets could gain nothing (probit).
    BirthsHopelessTooSoon,
    /// The bound on the gain of flips is kept after a flip.
    GainKeptAfterFlip,
    /// The bounds on the ratios of the inputs are kept after a flip.
    BoundsKeptAfterFlip,
    /// A guided death visits the objects in another order than the birth that would bring the bit back.
    GuidedOtherOrder,
    /// A guided death is guided by sums that still have the bit.
    GuidedByItself,
    /// A guided death is guided by all triplets, a birth by an even subset of many.
    DeathByAllGuides,
    /// The density of proposed coefficients counts the leading axes alone.
    TailForgotten,
    /// Guided births and deaths are always rejected: right, and useless.
    GuidedNeverAccepted,
    /// The density of a component's bits counts the likelier side of its coin only.
    OneCoin,
    /// The density of the Laplace approximation lacks the determinant.
    LaplaceWithoutDeterminant,
    /// Weights of given bits are drawn under the prior of learned ones.
    GivenByLearnedPrior,
    /// The sums of triplets leave given bits out.
    GivenBitsForgotten,
    /// Flips that are scored together all take the word of the first one's bit.
    GroupOfOneWord,
    /// Flips that were scored together are still decided after one of them was accepted.
    GroupGoesOn,
    /// Only the first thread's changes of the numbers of owners are counted.
    OneThreadCounted,
    /// Sums of unrotated rows are taken for sums along the axes (many objects).
    SumsNotRotated,
    /// Binned heights of opposite directions are taken for those of the direction itself (many objects).
    BinsWithoutSign,
    /// A kernel of the schedule does nothing.
    IdleKernel,
    /// Links are scored as if objects that reach the owner through the cut link still did (dd-IBP).
    LinkThroughCut,
    /// A link is scored by its own object, not by all objects that reach the owner through it (dd-IBP).
    LinkAlone,
    /// Owners are drawn as if all objects brought equally many bits (dd-IBP).
    EqualOwners,
    /// Births and deaths take H_N for Σ 1/h (dd-IBP).
    LinkedHarmonic,
    /// Draws are ranked by the joint density of codes and coefficients, whose dimension depends on the number of bits.
    RankedByJoint,
    /// The score of a draw takes equal bits for different ones.
    EqualBitsCounted,
    /// Training objects are read by their inputs where preferences are predicted.
    TrainingBitsForgotten,
    /// An unseen object of the Gaussian model has no bits of its own.
    OwnBitsForgotten,
    /// A preference is taken of mean codes instead of averaged over codes.
    PreferenceOfMeans,
    /// Coefficients are refitted by two Newton steps, converged or not.
    FewRefitSteps,
    /// Every bit that chains propose is added to growing codes, whether it helps or not.
    ExtensionAlways,
    /// An object counts once for every chain that left it out when codes are extended.
    ExtensionCountsTwice,
}

#[cfg(test)]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

/// Whether the fault is planted on this thread.
#[cfg(test)]
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}

/// Outside tests nothing is ever planted.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn planted(_: Fault) -> bool {
    false
}

/// What is planted on a thread, to be planted on those that it starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planted {
    #[cfg(test)]
    fault: Option<Fault>,
}

impl Planted {
    /// What is planted on this thread.
    pub fn here() -> Self {
        Self {
            #[cfg(test)]
            fault: PLANTED.get(),
        }
    }

    /// Plants the same on this thread.
    pub fn plant(self) {
        #[cfg(test)]
        PLANTED.set(self.fault);
    }
}

/// Runs `job` with the fault planted on this thread and on those that it starts.
#[cfg(test)]
pub(crate) fn with_fault<T>(fault: Fault, job: impl FnOnce() -> T) -> T {
    PLANTED.set(Some(fault));
    let result = job();
    PLANTED.set(None);
    result
}
