"""Real architectures with random weights, as torch modules with what they are fed with.

Weights are seeded; statistics of batch normalization are taken from passes over data of the same kind, so that maps have natural ranges."""
import numpy as np
import torch
import torchvision
import transformers

RECORDS = 8


def pictures(size, count=RECORDS, seed=0):
    """Smooth random pictures, normalized: waves of falling amplitude, as photographs have, and a little noise."""
    rng = np.random.default_rng(seed)
    waves = np.fft.rfftn(rng.standard_normal((count, 3, size, size)), axes=(2, 3))
    fall = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :]) + 1.0 / size
    smooth = np.fft.irfftn(waves / fall, s=(size, size), axes=(2, 3))
    smooth /= smooth.std(axis=(1, 2, 3), keepdims=True)
    return torch.from_numpy((smooth + 0.05 * rng.standard_normal(smooth.shape)).astype(np.float32))


def tokens(length, vocabulary, count=RECORDS):
    return torch.from_numpy(np.random.default_rng(1).integers(0, vocabulary, (count, length)))


class Chosen(torch.nn.Module):
    """A module's tensors by name or position in place of its own kind of result."""

    def __init__(self, module, choose):
        super().__init__()
        self.module, self.choose = module, choose

    def forward(self, *args):
        return self.choose(self.module, *args)


def settle(module, feeds):
    """Batch normalization gets the statistics of the data."""
    norms = [m for m in module.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        torch.nn.init.uniform_(norm.weight, 0.6, 1.4)
        torch.nn.init.uniform_(norm.bias, -0.3, 0.3)
    if norms:
        for norm in norms:
            norm.train()
        with torch.no_grad():
            module(*feeds)
    return module.eval()


def vision(name, size=160, choose=None, **options):
    def build():
        module = torchvision.models.get_model(name, weights=None, **options).eval()
        return Chosen(module, choose).eval() if choose else module, (pictures(size),)
    return build


def text(make, choose, length=32, vocabulary=1000):
    def build():
        return Chosen(make(), choose).eval(), (tokens(length, vocabulary),)
    return build


def bert():
    return transformers.BertModel(transformers.BertConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=4, num_attention_heads=4, intermediate_size=512))


def distilbert():
    return transformers.DistilBertForSequenceClassification(transformers.DistilBertConfig(vocab_size=1000, dim=128, n_layers=3, n_heads=4, hidden_dim=512))


def decoder(kind):
    small = {"vocab_size": 1000, "hidden_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 344, "use_cache": False}
    if kind == "gpt2":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=1000, n_embd=128, n_layer=3, n_head=4, use_cache=False))
    if kind == "llama":
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(num_key_value_heads=2, **small))
    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(num_key_value_heads=2, **small))


def whisper_model():
    return transformers.WhisperModel(transformers.WhisperConfig(
        vocab_size=1000, d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=512,
        decoder_ffn_dim=512, max_source_positions=100, max_target_positions=64, use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1))


def whisper_encoder():
    sound = torch.from_numpy(np.random.default_rng(2).standard_normal((RECORDS, 80, 200)).astype(np.float32))
    return Chosen(whisper_model().encoder, lambda m, x: m(x).last_hidden_state).eval(), (sound,)


def whisper_decoder():
    heard = torch.from_numpy(np.random.default_rng(3).standard_normal((RECORDS, 100, 128)).astype(np.float32))
    choose = lambda m, ids, states: m(input_ids=ids, encoder_hidden_states=states).last_hidden_state
    return Chosen(whisper_model().decoder, choose).eval(), (tokens(16, 1000), heard)


def clip():
    config = transformers.CLIPConfig(
        text_config={"vocab_size": 1000, "hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512, "eos_token_id": 999},
        vision_config={"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512, "image_size": 96, "patch_size": 16},
        projection_dim=64)
    def choose(module, ids, images):
        result = module(input_ids=ids, pixel_values=images)
        return result.text_embeds, result.image_embeds
    return Chosen(transformers.CLIPModel(config), choose).eval(), (tokens(16, 1000), pictures(96))


def small_vit():
    module = torchvision.models.VisionTransformer(image_size=160, patch_size=16, num_layers=6, num_heads=4, hidden_dim=192, mlp_dim=768)
    torch.nn.init.normal_(module.heads.head.weight, std=0.05)  # zero, as it is made
    return module.eval(), (pictures(160),)


def heads(module, x):
    """A detector's maps of scores and boxes, before what selects among them."""
    features = list(module.backbone(x).values())
    result = module.head(features)
    return result["cls_logits"], result["bbox_regression"]


NETWORKS = {
    "mobilenet_v2": vision("mobilenet_v2", 224), "mobilenet_v3_small": vision("mobilenet_v3_small"), "resnet18": vision("resnet18"),
    "resnet50": vision("resnet50", 224), "efficientnet_b0": vision("efficientnet_b0"), "shufflenet_v2": vision("shufflenet_v2_x1_0"),
    "squeezenet1_1": vision("squeezenet1_1"), "densenet121": vision("densenet121"), "regnet_y_400mf": vision("regnet_y_400mf"),
    "convnext_tiny": vision("convnext_tiny"), "swin_t": vision("swin_t", 128), "vit_small": small_vit,
    "lraspp": vision("lraspp_mobilenet_v3_large", 128, lambda m, x: m(x)["out"], weights_backbone=None),
    "deeplabv3": vision("deeplabv3_mobilenet_v3_large", 128, lambda m, x: m(x)["out"], weights_backbone=None, aux_loss=False),
    "ssdlite": vision("ssdlite320_mobilenet_v3_large", 160, heads, weights_backbone=None),
    "bert": text(bert, lambda m, ids: m(ids).last_hidden_state), "distilbert": text(distilbert, lambda m, ids: m(ids).logits),
    "gpt2": text(lambda: decoder("gpt2"), lambda m, ids: m(ids).logits), "llama": text(lambda: decoder("llama"), lambda m, ids: m(ids).logits),
    "qwen2": text(lambda: decoder("qwen2"), lambda m, ids: m(ids).logits),
    "whisper_encoder": whisper_encoder, "whisper_decoder": whisper_decoder, "clip": clip,
}


def network(name):
    """The module, and its inputs for all records, one behind the other."""
    torch.manual_seed(0)
    module, feeds = NETWORKS[name]()
    with torch.no_grad():
        return settle(module, feeds), feeds
