"""By which words a finding names a cause (SAID) or a fix (FIX), as regular expressions.

Each meaning has several wordings; what is scored is whether one of them is there."""

SAID = {
    "-": r"-",
    "calibration": (
        r"calibrat\w*[^.]{0,90}(other|different|wrong|foreign|unlike|not |representative|like these|these data|same data|noise|zeros|one )"
        r"|(all|every|most|\d+ of \d+)( of the)?( \w+){0,2} ranges|ranges (of|in) (all|every|most)|wrong.?calibration"
        r"|wrong data|badly calibrated|pre-?processing[^.]{0,60}calibrat"
    ),
    "evaluation_preparation": r"wrong data|pre-?process|scal(ed|ing)|normali[sz]|mean|255|standard deviation|both models",
    "evaluation_channels": r"channel|BGR|RGB|colou?r|both models",
    "evaluation_layout": r"NCHW|layout|memory order|transpos|channels first|both models",
    "evaluation_labels": r"labels?\b|classes|both models",
    "other_weights": (
        r"unrelated|another (training|network|model|run|checkpoint)|other (weights|training|network)"
        r"|not the same (network|model|weights)|different (weights|network|model|training)"
    ),
    "trained_further": r"retrained|trained further|fine-?tun|quantization-aware|QAT|training went on|later checkpoint",
    "pruned": r"prun|spars|zeros? (in|among) the weights|weights are zero|smallest weights|of (the|its) weights (is|are) 0",
    "batch_norm": (
        r"batch.?norm|statistic|factors? (per|of each|for each) channel|per.channel factor" r"|channels? (differ|are scaled) by (a )?factor"
    ),
    "class_order": (
        r"order of (the )?(classes|outputs|labels|channels)|permut|class(es)? (are )?(in another|order|swapped)"
        r"|(another|different) order|reorder|shuffled"
    ),
    "softmax": r"softmax|logits|probabilit",
    "inner_scaling": (
        r"(normali[sz]|scal|divid|pre-?process|standardi[sz])\w*[^.]{0,60}(itself|inside|of its own|in one|within|only (one|the))"
        r"|one of the (two )?(models )?(takes|expects|wants)"
        r"|(other|another|different) (input )?(range|scale|units?)[^.]{0,60}(float|reference|model)"
        r"|(extra|additional|begins? with|starts with)[^.]{0,40}(MUL|scal|normali|divi|operator)"
        r"|takes its input[^.]{0,40}times"
    ),
    "size": r"size|shape|resolution|dimension|frames|length",
    "input_scales": (
        r"UNBALANCED"
        r"|(features?|columns?|channels?|inputs?|parts?|values)[^.]{0,60}"
        r"(different|unequal|differ|other|own) (scales?|ranges?|units?|magnitudes?)"
        r"|(columns?|features?|channels?|sensors?)[^.]{0,80}"
        r"(times (larger|smaller|the|as)|vanish|round to|lost|(less than|below|under) (a|one|half a) step)"
        r"|(channels?|columns?|features?|inputs?|values)[^.]{0,40}differ in (scale|size|magnitude|range)|one scale for"
        r"|in units|round to (zero|0)"
    ),
    "far_from_zero": (
        r"far from (zero|0)|offset|begins? at (zero|0)|include (zero|0)|(differ|vary|spread)[^.]{0,40}(little|only|step)"
        r"|(step|resolution|precision)[^.]{0,60}(coarse|variation|differ|deviation|vary)|mean[^.]{0,50}deviation"
    ),
    "outliers": r"outlier|rare|few (values|pixels)|larger than the data need|times what|percentile|long tail|largest values",
    "wide_input": (
        r"small values|logarithm|\blog\b|orders? of magnitude|decades|most values (are|fall|round)"
        r"|less than (a|one|half a) step|first step"
    ),
    "large_row": r"\brows?\b|outlier|embedding|one scale|per.tensor|PER_TENSOR",
    "keeps_scale": (
        r"(keep|share|same|own|take|inherit)[^.]{0,40}(scale|range|grid)|pool|averag|less than (a|one) step"
        r"|below (a|one|half a) step|sparse"
    ),
    "mask": r"mask|minus infinity|very negative|far below|largest negative|ruled by|never (chosen|selected|taken)",
    "small_variance": r"variance|epsilon|rsqrt|1/sqrt|normali[sz]ation|divi[ds]",
    "channels_differ": r"channels?[^.]{0,60}(differ|times|share|unequal|scale|range|ratio)|columns?[^.]{0,60}(differ|times|unequal|round)",
    "small_output": (
        r"output[^.]{0,60}(step|precision|resolution|range|scale|bits)|LAST_LAYER|small (values|outputs|ones)"
        r"|less than (a|one|half a) step|orders? of magnitude|decades|round to (zero|0)"
    ),
    "half_overflow": r"65504|half|float16|fp16|overflow|largest",
    "bias_limit": r"bias[^.]{0,80}(overflow|saturat|limit|int32|end|clip|2147483648|range|scale)|BIAS_|dead channel",
    "adds_up": r"accumulat|add(s|ing)? up|recurren|state",
    "few_bits": r"\b(4|four).?bits?|int4|bits? (is|are) (too )?few|few bits|low.?bit|coarse weights|all weights",
    "per_tensor": r"PER_TENSOR|per.tensor|one scale|channels?[^.]{0,60}(differ|ranges|times|share)",
    "cut_off": r"cut off|clip|saturat|too (small|narrow)|beyond (the|its) range|outside (the|its) range|exceed|do not hold|averag",
}
FIX = {
    "-": r"",
    "calibrate": (
        r"(calibrat\w*|ranges?)[^.]{0,60}\b(again|anew|everything|together|at once)|re-?calibrat|(all|every)( the)? ranges?"
        r"|representative"
    ),
    "preparation": r"pre-?process|divid\w* by|multipl\w* by|normali[sz]|mean and|/ ?255|[x×*] ?255|input data",
    "channels": r"channel|BGR|RGB|colou?r|pre-?process",
    "layout": r"NCHW|NHWC|layout|transpos|pre-?process",
    "labels": r"label|offset|order of (the )?classes|class(es)? (map|order|numbers)",
    "same_model": (
        r"same (network|model|weights|checkpoint|training)|float model (given|that|it)|compare (it )?with"
        r"|quanti[sz]e (the|this|that|again|anew)|belong|checkpoint|train(ing)? after"
    ),
    "batch_norm": r"statistic|batch.?norm|checkpoint|moving (mean|average)",
    "class_order": r"order|permut|same classes|label",
    "softmax": r"softmax|logits|compare[^.]{0,40}(before|same)|--(post|pair|nodes)",
    "inner_scaling": r"pre-?process|normali[sz]|scal|inside|both models|feed",
    "size": r"size|shape|resolution|length|for the same|\b(20|32)\b",
    "normalize": (
        r"normali[sz]|standardi[sz]|balance|separate|scale (the|these|each) (input|column|feature|sensor)|units|subtract" r"|mean and"
    ),
    "clip": r"clip|percentile|limit (the )?(input|pixel)|cut|range to what|narrow|16.bit|int16|float",
    "log_outside": r"logarithm|\blog\b|before the network|outside|float|pre-?process",
    "row": r"\brow\b|per.channel|float|16.bit|int16|out of the table|separate",
    "own_scale": r"MEAN|scale of its own|own scale|GlobalAverage|max|16.bit|int16|float",
    "small_mask": r"-\s?\d\d\b(?!\d)|mask|clip|cut|drop (the|these)|percentile|float",
    "epsilon": r"epsilon|\beps\b|16.bit|int16|float",
    "equalize": r"equali[sz]|balance|rescale|(scale|divide|multiply) (the|these|each)[^.]{0,40}(layer|channel)|16.bit|int16|in float",
    "log_head": r"\blog|logarithm|outside|float|root|logit",
    "scale_outside": r"outside|after the network|float32|smaller constant|split|divid|scale|float",
    "apart": (
        r"separate|apart|outputs? of (its|their) own|normali[sz]|0\.\.1|\[0, 1\]|balance|two outputs|16.bit|int16|float" r"|of its own"
    ),
    "bias": r"larger scale|bias|cut|prun|remove|16.bit|int16|float",
    "sixteen": r"16.bit|int16|float|16x8",
    "eight": r"8.bit|int8|block|train|float|16.bit",
    "per_channel": r"per.channel|channel.?wise|per output channel",
    "wider": r"what the data need|wider|larger range|widen|calibrat\w*|all ranges|min(imum)? and max|largest values",
}
