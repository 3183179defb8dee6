//! What a circuit says about the model's files, prompts and caches.

use std::collections::BTreeMap;

use super::super::record::{FreeForm, record};
use crate::circuit::Fact;
use crate::registry::vocabulary::vocabulary;
use crate::v8::words::ActivationPreference;

record! {
    /// What the model's files, prompts and caches must be.
    CircuitContract {
        optional {
            /// Defaults of the run time.
            runtime_defaults: RuntimeDefaults,
            /// The tokenizer.
            tokenizer_contract: TokenizerContract,
            /// The chat format.
            chat_contract: ChatContract,
            /// Attention, in words.
            attention_contract: AttentionContract,
            /// A layer, in words.
            block_contract: BlockContract,
            /// From the last layer to logits, in words.
            logits_contract: LogitsContract,
            /// What decided types before contracts did.
            quant_contract: QuantContract,
            /// What calls must have.
            runtime_invariants: RuntimeInvariants,
            /// How images and text become one prompt.
            multimodal_bridge: MultimodalBridge,
            /// The visual part, in words.
            vision_contract: BTreeMap<String, Fact>,
            /// Positions of the visual part, in words.
            vision_position_contract: BTreeMap<String, Fact>,
        }
    }
}

vocabulary! {
    /// Which rows have logits.
    LogitsLayout {
        Last = "last",
        Full = "full",
    }
}

record! {
    /// Defaults of the run time.
    RuntimeDefaults {
        optional {
            /// Whether activations are quantised to `q8_0` where a contract allows it.
            prefer_q8_0_contract: bool,
            /// Whether logits are computed from `fp32` activations.
            prefer_fp32_logits: bool,
            /// Whether gate, up and their product are one call.
            prefill_gateup_swiglu_fusion_default: bool,
            /// Rows of a chunk of the prompt.
            prefill_chunk_length: u64,
            /// Which rows have logits.
            logits_layout: LogitsLayout,
            /// Layers whose gate and up are computed in `fp32`.
            mlp_gate_up_fp32_layers: Vec<u64>,
            /// Operations that quantise to `q8_0`.
            q8_0_contract_ops: Vec<String>,
            /// The type of the activation, by operation.
            activation_preference_by_op: BTreeMap<String, ActivationPreference>,
        }
    }
}

record! {
    /// The tokenizer.
    TokenizerContract {
        optional {
            /// Its type.
            tokenizer_type: String,
            /// Whether a prompt begins with a token of its own.
            bos_policy: String,
            /// Which token ends an answer.
            eos_policy: String,
            /// Where special tokens are listed.
            special_tokens: SpecialTokens,
        }
    }
}

record! {
    /// Where special tokens are listed.
    SpecialTokens {
        optional {
            /// The source.
            source: String,
        }
    }
}

record! {
    /// The chat format.
    ChatContract {
        optional {
            /// The version of this part.
            version: u32,
            /// Its name.
            name: String,
            /// Whether a prompt may be given as it is.
            raw_prompt_allowed: bool,
            /// What begins a turn.
            turn_prefix: String,
            /// What ends it.
            turn_suffix: String,
            /// What begins the answer.
            assistant_generation_prefix: String,
            /// The names of the roles.
            role_labels: BTreeMap<String, String>,
            /// Where the system prompt goes.
            system_prompt_mode: String,
            /// What ends it.
            system_prompt_separator: String,
            /// The system prompt if none is given.
            default_system_prompt: String,
            /// Whether that is used.
            inject_default_system_prompt: bool,
            /// What begins a prompt where the tokenizer adds nothing.
            force_bos_text_if_tokenizer_add_bos_false: String,
            /// What begins the last turn of the user.
            last_user_prefix: String,
            /// Marks that turn it off.
            last_user_prefix_suppression_markers: Vec<String>,
            /// Whether thoughts are shown.
            thinking_mode_default: String,
            /// What begins the answer, by how thoughts are shown.
            assistant_generation_prefix_by_thinking_mode: BTreeMap<String, String>,
            /// What begins the last turn of the user, by how thoughts are shown.
            last_user_prefix_by_thinking_mode: BTreeMap<String, String>,
            /// What stands before an image.
            image_begin_marker: String,
            /// What stands after it.
            image_end_marker: String,
            /// Texts that end an answer.
            stop_text_markers: Vec<String>,
            /// Tokens that end an answer.
            token_stop_markers: Vec<String>,
            /// Marks the format needs.
            template_markers: Vec<String>,
            /// The least length of an answer.
            min_response_tokens: u64,
        }
    }
}

record! {
    /// Attention, in words.
    AttentionContract {
        optional {
            /// How pairs of a rotation lie.
            rope_layout: String,
            /// The kind of rotation.
            rope_type: String,
            /// Its use.
            rope_mode: String,
            /// How positions enter.
            position_encoding: String,
            /// Whether queries and keys are normalised.
            qk_norm: Fact,
            /// How the cache lies.
            kv_layout: String,
            /// The type of the cache when one row is decoded.
            decode_kv_cache_dtype: String,
            /// The kind of attention.
            attn_variant: String,
            /// Whether a row sees those before it only.
            causal: bool,
        }
    }
}

record! {
    /// A layer, in words.
    BlockContract {
        optional {
            /// The normalisation.
            norm_type: String,
            /// The second half of a layer.
            mlp_formula: String,
            /// Its activation function.
            activation: String,
            /// Whether projections have biases.
            qkv_bias: Fact,
            /// The kind of layers.
            body_type: String,
        }
    }
}

record! {
    /// From the last layer to logits, in words.
    LogitsContract {
        optional {
            /// The normalisation.
            final_norm: String,
            /// The last product.
            lm_head: String,
            /// Which rows have logits.
            logits_layout: String,
        }
    }
}

record! {
    /// What decided types before contracts did.
    QuantContract {
        optional {
            /// What chose functions.
            kernel_select: String,
            /// The types of activations.
            activation_dtype: String,
            /// Whether weights of one role may be stored differently.
            per_tensor_mixed_quant: bool,
        }
    }
}

record! {
    /// What calls must have.
    RuntimeInvariants {
        optional {
            /// Arguments by function.
            required_call_args: BTreeMap<String, FreeForm>,
        }
    }
}

record! {
    /// How images and text become one prompt.
    MultimodalBridge {
        optional {
            /// How a prompt is read.
            prefix_policy: String,
            /// How an answer is made.
            generation_policy: String,
            /// How positions are counted.
            position_policy: String,
            /// Whose the cache is.
            cache_policy: String,
            /// Which program runs when.
            runtime_policy: String,
            /// The segments of a prompt.
            prefill_schedule: PrefillSchedule,
            /// What stands before an image.
            image_begin_marker: String,
            /// What stands after it.
            image_end_marker: String,
        }
    }
}

record! {
    /// The segments of a prompt.
    PrefillSchedule {
        optional {
            /// In order.
            segments: Vec<String>,
            /// What a segment does to the cache.
            cache_transition: String,
            /// What it does to positions.
            position_transition: String,
        }
    }
}
