//! Words of the explicit semantics (ours): each names one arithmetic fact that v8 leaves to prose.
//!
//! All arithmetic is IEEE 754 binary32, round to nearest even, subnormals kept; `fma` is one rounding.

use super::vocabulary;

vocabulary! {
    /// What a NaN in an output looks like.
    NanRule {
        ///
        /// Outputs are copies: sign and payload are those of the source.
        Preserved = "preserved",
        ///
        /// Outputs are integers.
        NotApplicable = "not_applicable",
        ///
        /// Every NaN result is stored with the bits `0x7fc00000`.
        Canonical7fc00000 = "canonical_7fc00000",
    }
}

vocabulary! {
    /// What the sign of a zero in an output is.
    ZeroSign {
        ///
        /// Outputs are copies.
        Preserved = "preserved",
        ///
        /// Outputs are integers.
        NotApplicable = "not_applicable",
        ///
        /// As the written operations give it.
        Ieee = "ieee",
    }
}

vocabulary! {
    /// Which rows of the output are computed.
    OutputRows {
        All = "all",
        ///
        /// Only the row `rows - 1`; the output has one row.
        Last = "last",
    }
}

vocabulary! {
    /// A starting or stand-in value.
    FixedValue {
        PositiveZero = "positive_zero",
        NegativeInfinity = "negative_infinity",
    }
}

vocabulary! {
    /// How a term enters an accumulator.
    ReductionUpdate {
        ///
        /// `acc = fma(a, b, acc)`: one rounding.
        Fma = "fma",
        ///
        /// `acc = acc + (a * b)`: two roundings.
        MultiplyThenAdd = "multiply_then_add",
        ///
        /// `acc = acc + a`: one rounding, one factor.
        Add = "add",
    }
}

vocabulary! {
    /// Which lane an element enters.
    LaneAssignment {
        ///
        /// Element i (for attention: absolute position i) enters lane `i mod count`, ascending.
        IndexModLanes = "index_mod_lanes",
    }
}

vocabulary! {
    /// What happens to the elements beyond the last whole set of lanes.
    TailRule {
        ///
        /// They enter no lane. Their products, exact in fp64, are added in fp64 to the folded sum, ascending; the result is
        /// rounded once.
        Fp64AfterFold = "fp64_after_fold",
        ///
        /// They enter no lane, but the folded sum, ascending, by the update of the reduction.
        Fp32AfterFold = "fp32_after_fold",
    }
}

vocabulary! {
    /// The type in which sums of groups are added.
    GroupSum {
        Fp32 = "fp32",
        Fp64 = "fp64",
    }
}

vocabulary! {
    /// How the mean of squares is made from the sum.
    MeanRule {
        ///
        /// `sum / f32(n)`, one division.
        SumDividedByCount = "sum_divided_by_count",
        ///
        /// `sum * (1 / f32(n))`, a division and a product.
        SumTimesReciprocalOfCount = "sum_times_reciprocal_of_count",
    }
}

vocabulary! {
    /// Where epsilon enters a normalisation.
    EpsilonRule {
        ///
        /// `mean + eps`, one addition.
        AddedToMean = "added_to_mean",
    }
}

vocabulary! {
    /// How the factor of a normalisation is made.
    ReciprocalRule {
        ///
        /// `1 / sqrt(x)`: a square root and a division, each correctly rounded.
        OneDividedBySquareRoot = "one_divided_by_square_root",
        ///
        /// `x^(-1/2)` rounded once: what a correctly rounded `pow(x, -0.5)` gives.
        PowerMinusOneHalf = "power_minus_one_half",
        ///
        /// The 14-bit estimate of AVX-512, then one Newton step. The table of the estimate is not public: the oracle
        /// refuses to execute it.
        Rsqrt14ThenNewton = "rsqrt14_then_newton",
    }
}

vocabulary! {
    /// How a normalised row is scaled.
    ScaleRule {
        ///
        /// `(x * r) * gamma`: two products.
        InputTimesReciprocalThenGamma = "input_times_reciprocal_then_gamma",
        ///
        /// `x * (r * gamma)`: two products.
        InputTimesScaledGamma = "input_times_scaled_gamma",
    }
}

vocabulary! {
    /// The arithmetic of a rotated pair (x0, x1) by (cosine c, sine s).
    RotationRule {
        ///
        /// `y0 = fma(x0, c, -(x1 * s))` and `y1 = fma(x0, s, x1 * c)`.
        RoundedPartnerProductThenFma = "rounded_partner_product_then_fma",
        ///
        /// `y0 = fma(-x1, s, x0 * c)` and `y1 = fma(x1, c, x0 * s)`.
        RoundedOwnProductThenFma = "rounded_own_product_then_fma",
        ///
        /// `y0 = (x0 * c) - (x1 * s)` and `y1 = (x0 * s) + (x1 * c)`: every operation rounded.
        SeparateProducts = "separate_products",
        ///
        /// `x0 * c - x1 * s` and `x0 * s + x1 * c`, each rounded once.
        RoundedOnce = "rounded_once",
    }
}

vocabulary! {
    /// What happens to elements no pair holds.
    RestRule {
        ///
        /// The bits are copied.
        Copied = "copied",
    }
}

vocabulary! {
    /// How a generated table is made.
    TableFunction {
        ///
        /// Cosine and sine of `p * base^(-2i / rotary_dim)` in binary64 by series, each rounded once to fp32.
        /// Entry `[p][i]` is the pair (cosine, sine).
        RopeTableFp64Series = "rope_table_fp64_series",
    }
}

vocabulary! {
    /// The position by which a pair of row r is rotated.
    PairPosition {
        ///
        /// `position + r`, where `position` is the argument of the call; the same for all axes.
        PositionPlusRow = "position_plus_row",
        ///
        /// Entry r of the stream of positions of the pair's axis.
        EntryOfAxisStream = "entry_of_axis_stream",
    }
}

vocabulary! {
    /// The position of row r of a call.
    RowPosition {
        ///
        /// `position + r`, where `position` is the argument of the call.
        PositionPlusRow = "position_plus_row",
    }
}

vocabulary! {
    /// The function of a gate, fixed operation by operation by the oracle of the same name.
    GateFunction {
        SigmoidE1 = "sigmoid_e1",
    }
}

vocabulary! {
    /// The exponential of a softmax, fixed operation by operation by the oracle of the same name.
    Exponential {
        ExpE0 = "exp_e0",
        ///
        /// A series in fp64, rounded once.
        ExpD1 = "exp_d1",
        ///
        /// A polynomial of degree five in fp32, as vector units of 16 lanes evaluate it.
        ExpV1 = "exp_v1",
    }
}

vocabulary! {
    /// How a gate joins its two inputs.
    GateRule {
        ///
        /// `(gate / d) * up`, d the denominator: a division, then a product.
        GateDividedByDenominatorThenTimesUp = "gate_divided_by_denominator_then_times_up",
        ///
        /// `(gate * (1 / d)) * up`: a division, then two products.
        GateTimesReciprocalThenTimesUp = "gate_times_reciprocal_then_times_up",
        ///
        /// `(gate * up) / d`: a product, then a division.
        GateTimesUpThenDividedByDenominator = "gate_times_up_then_divided_by_denominator",
    }
}

vocabulary! {
    /// The function of a `gelu`, fixed operation by operation by the oracle.
    GeluRule {
        ///
        /// `x / d(x * fma(x * x, 0x1.2444a2p-4, 0x1.988454p0))`, d the denominator of `sigmoid_e1`.
        TanhSigmoidE1 = "tanh_sigmoid_e1",
        ///
        /// `(0.5 * x) * (1 + erf(x * sqrt(1/2)))` in fp64 with erf by a series, rounded once to fp32.
        ErfFp64Series = "erf_fp64_series",
        ///
        /// +0 for x <= -10, x for x >= 10; else x is rounded to fp16, and the tanh form in fp64 is rounded to fp32,
        /// then fp16: an entry of a table with 65536 entries.
        TanhFp16Table = "tanh_fp16_table",
    }
}

vocabulary! {
    /// An elementwise expression of two inputs.
    ElementwiseRule {
        ///
        /// `a + b`, one addition.
        APlusB = "a_plus_b",
    }
}

vocabulary! {
    /// What a copy selects.
    CopyRule {
        ///
        /// Row `tokens[r]` of the table becomes row r.
        TableRowOfToken = "table_row_of_token",
        ///
        /// Row r is stored at position `position + r` of the cache, head by head.
        AppendAtPosition = "append_at_position",
    }
}

vocabulary! {
    /// When an element replaces the best one so far.
    Comparison {
        ///
        /// Strictly greater; NaN compares false.
        Greater = "greater",
    }
}

vocabulary! {
    /// Which of several equal elements is selected.
    TieRule {
        FirstIndex = "first_index",
    }
}

vocabulary! {
    /// Where NaN stands in a selection or a maximum.
    NanSelection {
        ///
        /// NaN is passed over; if there is nothing else, the initial value stays.
        NeverSelected = "never_selected",
    }
}

vocabulary! {
    /// When the scale of a score is applied.
    ScaleApplication {
        ///
        /// The finished dot product is multiplied once.
        OneMultiplyAfterDot = "one_multiply_after_dot",
        ///
        /// Query and key are each multiplied by the square root of the scale before the dot product.
        SquareRootOnQueryAndKey = "square_root_on_query_and_key",
        ///
        /// The scale is 1: nothing is multiplied, and the model's scale has no part.
        UnitScale = "unit_scale",
    }
}

vocabulary! {
    /// The maximum a softmax subtracts.
    MaximumRule {
        ///
        /// The maximum over all allowed positions, found before any exponential.
        Exact = "exact",
        ///
        /// A running maximum; sums are rescaled when it grows.
        Online = "online",
    }
}

vocabulary! {
    /// The argument of the exponential.
    ExponentialArgument {
        ///
        /// `s - m`, one subtraction.
        ScoreMinusMaximum = "score_minus_maximum",
    }
}

vocabulary! {
    /// How the partial results of chunks or tiles become one.
    ChunkMerge {
        ///
        /// The total starts at +0 and the partial results of the chunks are added to it in ascending order.
        AscendingFromPositiveZero = "ascending_from_positive_zero",
        ///
        /// A tile goes on with the accumulator of the one before it, rescaled where the maximum grew.
        AscendingContinued = "ascending_continued",
        ///
        /// Ascending online merge, `a` and `b` the factors of total and part: `fma(part, b, total * a)`.
        AscendingRescaledFma = "ascending_rescaled_fma",
        ///
        /// The same with two products and a sum: `(total * a) + (part * b)`.
        AscendingRescaledMultiplyAdd = "ascending_rescaled_multiply_add",
    }
}

vocabulary! {
    /// How a row is divided by its sum.
    NormalizationRule {
        ///
        /// `r = 1 / sum`, then every value `* r`.
        ReciprocalThenMultiply = "reciprocal_then_multiply",
        ///
        /// Every value `/ sum`.
        DivideBySum = "divide_by_sum",
        ///
        /// Before the values are summed: `r = 1 / sum` in the type of the sum, rounded to fp32, then every weight `* r`.
        WeightsTimesReciprocal = "weights_times_reciprocal",
        ///
        /// Before the values are summed: every weight `/ sum`.
        WeightsDividedBySum = "weights_divided_by_sum",
    }
}

vocabulary! {
    /// Which positions a row may attend to.
    RangeRule {
        ///
        /// Position p of the row and everything before it: `[0, p + 1)`.
        Causal = "causal",
        ///
        /// Every valid position.
        Full = "full",
        ///
        /// The last `window` of the positions of `causal`, the window being an extent of the model.
        CausalWindow = "causal_window",
    }
}

vocabulary! {
    /// What happens at positions outside the range.
    OutsideRule {
        ///
        /// They take no part; NaN or garbage stored there cannot be seen.
        Skipped = "skipped",
    }
}

vocabulary! {
    /// Which key head a query head reads.
    HeadSharing {
        ///
        /// Key head `h / (heads / kv_heads)`.
        ContiguousGroups = "contiguous_groups",
    }
}
