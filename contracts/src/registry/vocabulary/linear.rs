//! Words of quantized linear contracts.

use super::vocabulary;

vocabulary! {
    /// How a weight is stored, as the provider sees it.
    LinearWeightFormat {
        Q4K = "q4_k",
        Q6K = "q6_k",
        Q8_0 = "q8_0",
        Bf16 = "bf16",
        Fp16 = "fp16",
        Fp32 = "fp32",
    }
}

vocabulary! {
    /// What an activation is quantised to before the dot product.
    LinearActivationFormat {
        Q8K = "q8_k",
        Q8_0 = "q8_0",
        Bf16 = "bf16",
        Fp16 = "fp16",
        Fp32 = "fp32",
    }
}

vocabulary! {
    /// The type of the sums inside a block.
    IntegerAccumulator {
        Int32 = "int32",
        None = "none",
    }
}

vocabulary! {
    /// The order in which blocks enter an accumulator.
    BlockOrder {
        AscendingK = "ascending_k",
    }
}

vocabulary! {
    /// How the lanes of an accumulator become one value.
    HorizontalReduction {
        LlamaX86LaneOrder = "llama_x86_lane_order",
        ScalarAscending = "scalar_ascending",
        None = "none",
    }
}

vocabulary! {
    /// When a bias is added.
    BiasRule {
        AfterCompleteDot = "after_complete_dot",
        None = "none",
    }
}

vocabulary! {
    /// The type of an accumulator or of a stored result.
    LinearFloat {
        Fp32 = "fp32",
        Bf16 = "bf16",
        Fp16 = "fp16",
    }
}

vocabulary! {
    /// How threads share a product.
    ParallelReductionKind {
        IndependentOutputs = "independent_outputs",
        SplitK = "split_k",
    }
}

vocabulary! {
    /// What threads do to the order of the sums.
    ParallelOrderEffect {
        None = "none",
        ContractDefined = "contract_defined",
    }
}

// The words of the explicit semantics are ours.

vocabulary! {
    /// The rounding contract of an activation quantiser.
    QuantizerRule {
        ///
        /// One row at a time; of equal extremes the first counts.
        CanonicalQ8KRowNearest = "canonical_q8_k_row_nearest",
        ///
        /// Four rows side by side; of equal extremes a positive one counts.
        LlamaRepackQ8K4RowNearestEven = "llama_repack_q8_k_4row_nearest_even",
    }
}

vocabulary! {
    /// Which element of a block is its extreme: always one of the greatest magnitude, with its sign.
    ExtremeRule {
        FirstOfGreatestMagnitude = "first_of_greatest_magnitude",
        ///
        /// Positive when any of them is.
        PositiveOfGreatestMagnitude = "positive_of_greatest_magnitude",
    }
}

vocabulary! {
    /// The sign of the code of the extreme.
    CodeSign {
        Negative = "negative",
        Positive = "positive",
    }
}

vocabulary! {
    /// How the factor of a quantiser is made from the extreme e and its code c.
    InverseRule {
        ///
        /// `c / e`, one division.
        CodeDividedByExtreme = "code_divided_by_extreme",
        ///
        /// `1 / (e / c)`, two divisions.
        OneDividedByQuotient = "one_divided_by_quotient",
    }
}

vocabulary! {
    /// How the product of an element and the factor becomes an integer.
    CodeRounding {
        ///
        /// The product is rounded to fp32, then to the nearest integer, ties to even.
        ProductThenNearestEven = "product_then_nearest_even",
        ///
        /// The exact product is rounded to the nearest integer, ties to even: product and rounding are contracted.
        ContractedNearestEven = "contracted_nearest_even",
        ///
        /// The product is rounded to fp32, then to the nearest integer, ties away from zero.
        ProductThenNearestAway = "product_then_nearest_away",
    }
}

vocabulary! {
    /// How the scale of a block is made from the extreme e, its code c and the factor i.
    ScaleOfCodes {
        ///
        /// `1 / i`, one division.
        OneDividedByInverse = "one_divided_by_inverse",
        ///
        /// `e / c`, one division.
        ExtremeDividedByCode = "extreme_divided_by_code",
    }
}

vocabulary! {
    /// What an element becomes whose product with the factor is not finite.
    NonfiniteCode {
        ///
        /// The code 0.
        Zero = "zero",
        ///
        /// The code 0, and the scale of the block becomes NaN.
        PoisonsBlock = "poisons_block",
    }
}

vocabulary! {
    /// How the integer scales of a weight block are packed.
    SubScales {
        ///
        /// Twelve bytes hold eight pairs of six bits, a pair a sub-block. Scale i < 4 is the low six bits of byte i and
        /// minimum i < 4 those of byte i + 4; scale i >= 4 is the low four bits of byte i + 4 and above them the high
        /// two of byte i - 4; minimum i >= 4 is the high four bits of byte i + 4 and above them the high two of byte i.
        SixBitPairsBySubBlock = "six_bit_pairs_by_sub_block",
        ///
        /// Twelve bytes a sub-block, packed alike, a pair a row.
        SixBitPairsByRow = "six_bit_pairs_by_row",
        ///
        /// One signed byte a sub-block; there are no minima.
        SignedBytes = "signed_bytes",
    }
}

vocabulary! {
    /// How the codes of a row are packed.
    CodePacking {
        ///
        /// Of every 64 elements, 32 bytes hold the first half in their low four bits, the second in their high four.
        NibblesOf64 = "nibbles_of_64",
        ///
        /// Of every 128 elements (four quarters of 32), 64 bytes hold quarters 0 and 1 in their low four bits and
        /// quarters 2 and 3 in their high four; apart from them, bits 2q and 2q + 1 of 32 bytes are the bits 4 and 5 of
        /// quarter q.
        NibblesOf128WithHighPairs = "nibbles_of_128_with_high_pairs",
    }
}

vocabulary! {
    /// What enters a lane.
    LinearLane {
        ///
        /// Element k of a block enters lane `k / width mod count`; all lanes belong to one output.
        ElementGroups = "element_groups",
        ///
        /// Output n has lane `n mod count` to itself.
        OutputColumns = "output_columns",
    }
}

vocabulary! {
    /// How an integer sum s, the activation's scale a and the weight's scale w enter an update.
    FactorRule {
        ///
        /// The factors are `a * w`, rounded, and s.
        ScalesThenSum = "scales_then_sum",
        ///
        /// The factors are `s * w`, rounded, and a.
        SumTimesWeightScaleThenActivationScale = "sum_times_weight_scale_then_activation_scale",
    }
}
