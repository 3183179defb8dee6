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
    /// How the mean of squares is made from the sum.
    MeanRule {
        ///
        /// `sum / f32(n)`, one division.
        SumDividedByCount = "sum_divided_by_count",
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
    }
}

vocabulary! {
    /// How a normalised row is scaled.
    ScaleRule {
        ///
        /// `(x * r) * gamma`: two products.
        InputTimesReciprocalThenGamma = "input_times_reciprocal_then_gamma",
    }
}

vocabulary! {
    /// The arithmetic of a rotated pair (x0, x1) by (cosine c, sine s).
    RotationRule {
        ///
        /// `y0 = fma(x0, c, -(x1 * s))` and `y1 = fma(x0, s, x1 * c)`.
        RoundedPartnerProductThenFma = "rounded_partner_product_then_fma",
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
    }
}

vocabulary! {
    /// How a gate joins its two inputs.
    GateRule {
        ///
        /// `(gate / d) * up`, d the denominator: a division, then a product.
        GateDividedByDenominatorThenTimesUp = "gate_divided_by_denominator_then_times_up",
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
    /// Which part of the chunks is kept apart.
    ChunkMerge {
        ///
        /// The total starts at +0 and the partial results of the chunks are added to it in ascending order.
        AscendingFromPositiveZero = "ascending_from_positive_zero",
    }
}

vocabulary! {
    /// How a row is divided by its sum.
    NormalizationRule {
        ///
        /// `r = 1 / sum`, then every value `* r`.
        ReciprocalThenMultiply = "reciprocal_then_multiply",
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
