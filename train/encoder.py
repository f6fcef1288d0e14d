"""What the trainings of the relation model and of the guard share: networks, a loop, and the export in int8.

A student has every n-th layer of a trained teacher, follows its hidden states, and is trained with the rounding of int8 at the end.
Needs a GPU and `torch transformers tokenizers onnx onnxruntime`.
"""
import json, os, random, subprocess, sys, time
import numpy as np, torch
from torch import nn
from torch.nn import functional as F
from tokenizers import Tokenizer
from transformers import BertConfig, BertForSequenceClassification

DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'
INPUTS = ['input_ids', 'attention_mask', 'token_type_ids']


def read(path): return [json.loads(line) for line in open(path) if line.strip()]


def tokenizer(base):
    tok = Tokenizer.from_file(os.path.join(base, 'tokenizer.json')); tok.enable_truncation(128); tok.no_padding(); return tok


class Rows:
    """Texts, or pairs in both orders, as tokens on the device."""
    def __init__(self, tok, texts):
        pairs = not isinstance(texts[0], str); self.n = len(texts); self.orders = 2 if pairs else 1
        enc = tok.encode_batch(list(texts) + ([(b, a) for a, b in texts] if pairs else []))
        self.length = np.array([len(e.ids) for e in enc]); m = int(self.length.max())
        ids, kinds = np.zeros((len(enc), m), np.int32), np.zeros((len(enc), m), np.int8)
        for i, e in enumerate(enc): ids[i, :len(e.ids)] = e.ids; kinds[i, :len(e.ids)] = e.type_ids
        self.ids, self.kinds, self.lengths = (torch.tensor(x, device=DEVICE) for x in (ids, kinds, self.length))
    def batch(self, index):
        m = int(self.length[index].max()); t = torch.as_tensor(index, device=DEVICE)
        mask = (torch.arange(m, device=DEVICE)[None] < self.lengths[t][:, None]).long()
        return dict(input_ids=self.ids[t, :m].long(), token_type_ids=self.kinds[t, :m].long(), attention_mask=mask)


def network(layers, labels):
    return BertForSequenceClassification(BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=layers, num_attention_heads=12,
        intermediate_size=1536, num_labels=labels, attn_implementation='sdpa')).to(DEVICE)


def from_base(folder, labels):
    """The weights that extract.py wrote."""
    z = np.load(os.path.join(folder, 'weights.npz')); sd = {}
    for k in z.files:
        if k.endswith('.q8'): sd[k[:-3]] = torch.tensor(z[k].astype(np.float32) * z[k[:-3] + '.s8'])
        elif not k.endswith('.s8'): sd[k] = torch.tensor(z[k].astype(np.float32))
    model = network(1 + max(int(k.split('.')[2]) for k in sd if k.startswith('encoder.layer.')), labels)
    missing, _ = model.bert.load_state_dict(sd, strict=False)
    assert not [m for m in missing if 'pooler' not in m and 'position_ids' not in m], missing
    nn.init.eye_(model.bert.pooler.dense.weight); nn.init.zeros_(model.bert.pooler.dense.bias)
    return model


def save(model, path): torch.save({k: v.half() for k, v in model.state_dict().items()}, path)


def saved(path):
    sd = {k: v.float() for k, v in torch.load(path, map_location=DEVICE).items()}
    model = network(1 + max(int(k.split('.')[3]) for k in sd if k.startswith('bert.encoder.layer.')), len(sd['classifier.bias']))
    model.load_state_dict(sd); return model.eval()


def thinned(teacher, layers):
    """Every n-th layer, the last among them, and which they are."""
    total = teacher.config.num_hidden_layers; keep = [round((i + 1) * total / layers) - 1 for i in range(layers)]
    model = network(layers, teacher.config.num_labels); out = {}
    for k, v in teacher.state_dict().items():
        part = k.split('.')
        if part[1:3] != ['encoder', 'layer']: out[k] = v
        elif int(part[3]) in keep: out['.'.join([*part[:3], str(keep.index(int(part[3]))), *part[4:]])] = v
    model.load_state_dict(out); return model, keep


rounding = False
plain_linear = nn.Linear.forward

def rounded_linear(self, x):
    """As int8 with `reduce_range` and a scale a row will see it; gradients pass through."""
    if not (rounding and self.training): return plain_linear(self, x)
    w = self.weight; step = w.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / 64; w = w + ((w / step).round().clamp(-64, 63) * step - w).detach()
    scale = x.detach().abs().amax(-1, keepdim=True).clamp_min(1e-8) / 127; x = x + ((x / scale).round() * scale - x).detach()
    return F.linear(x, w, self.bias)

nn.Linear.forward = rounded_linear


def pushed(model, x, loss_of, size):
    """Once more with the words moved a little to where the loss is largest; the gradients add up."""
    words = model.bert.embeddings.word_embeddings.weight; grad = words.grad
    if grad is None or not torch.isfinite(norm := grad.norm()) or norm == 0: return
    move = size * grad.detach() / norm; words.data += move
    with torch.autocast(DEVICE, dtype=torch.bfloat16): z = model(**x).logits.float()
    loss_of(z).backward(); words.data -= move


def fit(model, rows, loss_of, args, name, teacher=None, follow=()):
    """loss_of: logits and the indices of the rows they are for. teacher, follow: whose hidden states, after which layers."""
    global rounding
    torch.manual_seed(args.seed); random.seed(args.seed); rng = np.random.default_rng(args.seed); n = rows.n; t0 = time.time()
    plain = lambda k: 'bias' in k or 'LayerNorm' in k
    opt = torch.optim.AdamW([{'params': [p for k, p in model.named_parameters() if not plain(k)], 'weight_decay': .01},
                             {'params': [p for k, p in model.named_parameters() if plain(k)], 'weight_decay': 0}], lr=args.lr, fused=True)
    steps = args.epochs * (n // args.batch + 1)
    # By steps, or by the clock where that is further on: what shares the device decides how many epochs fit.
    step = progress = 0; seconds = getattr(args, 'seconds', 0) or float('inf')
    for epoch in range(args.epochs):
        if progress >= 1: break
        model.train(); total = torch.zeros(2, device=DEVICE)
        flip = rng.integers(0, rows.orders, n) * n; order = rng.permutation(n); batches = []
        # Like lengths together, in chunks of fifty batches, so that little is padding.
        for c in range(0, n, args.batch * 50):
            part = order[c:c + args.batch * 50]; part = part[np.argsort(rows.length[part + flip[part]], kind='stable')]
            batches += [part[i:i + args.batch] for i in range(0, len(part), args.batch)]
        random.shuffle(batches)
        for b in batches:
            progress = max(step / steps, (time.time() - t0) / seconds)
            if progress >= 1: break
            rounding = progress >= 1 - args.rounded / args.epochs
            for group in opt.param_groups: group['lr'] = args.lr * min(1, progress / .06 + .002) * (1 - progress)
            x = rows.batch(b + flip[b]); extra = torch.zeros((), device=DEVICE)
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                if teacher is None: z = model(**x).logits.float()
                else:
                    with torch.no_grad(): theirs = teacher.bert(**x, output_hidden_states=True).hidden_states
                    mine = model(**x, output_hidden_states=True); z = mine.logits.float(); mask = x['attention_mask'][..., None].float()
                    pairs = [(mine.hidden_states[0], theirs[0])] + [(mine.hidden_states[i + 1], theirs[k + 1]) for i, k in enumerate(follow)]
                    extra = sum((((p.float() - q.float()) ** 2) * mask).sum() for p, q in pairs) / (mask.sum() * 384 * len(pairs))
            loss = loss_of(z, torch.as_tensor(b, device=DEVICE))
            opt.zero_grad(set_to_none=True); (loss + args.follow * extra).backward()
            if getattr(args, 'push', 0): pushed(model, x, lambda z: loss_of(z, torch.as_tensor(b, device=DEVICE)), args.push)
            # A step in bfloat16 that overflows is left out; it would end the training.
            if torch.isfinite(nn.utils.clip_grad_norm_(model.parameters(), 1.)): opt.step()
            else: print(f'  {name}: a step left out', flush=True)
            step += 1; total += torch.stack([loss.detach(), extra.detach()]) * len(b)
        assert torch.isfinite(total).all(), name
        print(f'  {name} epoch {epoch} loss {total[0] / n:.4f} follow {total[1] / n:.4f} {time.time() - t0:.0f}s', flush=True)
    rounding = False; return model.eval()


def logits(models, rows, order=0):
    """The average of several models, in one order of the pairs."""
    out = torch.zeros(rows.n, models[0].config.num_labels, device=DEVICE); by_length = np.argsort(rows.length[:rows.n], kind='stable')
    with torch.no_grad(), torch.autocast(DEVICE, dtype=torch.bfloat16):
        for m in models:
            for i in range(0, rows.n, 1024):
                b = by_length[i:i + 1024]; out[torch.as_tensor(b, device=DEVICE)] += m.eval()(**rows.batch(b + order * rows.n)).logits.float()
    return out / len(models)


def export(model, folder, name, check):
    """int8: weights by column with `reduce_range`, word embeddings by row, activations by row (per_row.py); in parts of 15 MiB.

    check(title, ask) reports what `ask(encoding) -> logits` says, of fp32 and of int8.
    """
    import onnx, onnxruntime as ort
    from onnx import helper, numpy_helper, TensorProto
    from onnxruntime.quantization import quantize_dynamic, QuantType
    os.makedirs(folder, exist_ok=True); full, small, done = (os.path.join(folder, f'{name}.{f}') for f in ('full', 'small', 'done'))
    model = model.cpu().float().eval(); model.config._attn_implementation = 'eager'
    class Plain(nn.Module):
        def __init__(self): super().__init__(); self.m = model
        def forward(self, input_ids, attention_mask, token_type_ids): return self.m(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).logits
    ids = torch.ones(2, 7, dtype=torch.long)
    torch.onnx.export(Plain(), (ids, ids, ids * 0), full, input_names=INPUTS, output_names=['logits'], dynamic_axes={x: {0: 'batch', 1: 'sequence'} for x in INPUTS} | {'logits': {0: 'batch'}}, opset_version=17, dynamo=False)
    quantize_dynamic(full, small, op_types_to_quantize=['MatMul'], weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    whole = onnx.load(small); g = whole.graph
    table = next(t for t in g.initializer if 'word_embeddings' in t.name); gather = next(n for n in g.node if n.op_type == 'Gather' and n.input[0] == table.name)
    w = numpy_helper.to_array(table); step = np.maximum(np.abs(w).max(1, keepdims=True), 1e-8) / 127
    g.initializer.remove(table); g.initializer.extend([numpy_helper.from_array(np.round(w / step).astype(np.int8), 'words'), numpy_helper.from_array(step.astype(np.float32), 'words_step')])
    at = list(g.node).index(gather); out, index = gather.output[0], gather.input[1]; g.node.remove(gather)
    for k, one in enumerate([helper.make_node('Gather', ['words', index], ['words_int'], 'words_int'), helper.make_node('Gather', ['words_step', index], ['words_scale'], 'words_scale'),
                             helper.make_node('Cast', ['words_int'], ['words_float'], 'words_float', to=TensorProto.FLOAT), helper.make_node('Mul', ['words_float', 'words_scale'], [out], 'words_whole')]): g.node.insert(at + k, one)
    onnx.save(whole, small)
    subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'per_row.py'), small, done], check=True)
    raw = open(done, 'rb').read(); print(name, 'bytes', len(raw), flush=True)
    for i in range(0, len(raw), 15 << 20): open(os.path.join(folder, f'{name}.part{i // (15 << 20)}'), 'wb').write(raw[i:i + (15 << 20)])
    for path, title in ((full, 'fp32'), (done, 'int8')):
        session = ort.InferenceSession(path)
        check(f'{name} {title}', lambda e: session.run(None, {k: np.array([v], np.int64) for k, v in zip(INPUTS, (e.ids, e.attention_mask, e.type_ids))})[0][0])
    for path in (full, small, done): os.remove(path)
