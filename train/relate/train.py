"""Trains a pair classifier (same / contradiction / neutral) from anchors, and reports on test files.

Teacher and student: `--teach FILE` writes soft labels of all pairs, also of combinations nobody labelled; `--soft FILE` trains on them.
`--export DIR` writes model.onnx and model.int8.onnx, the latter also in parts, and reports on the tests with the int8 model on the CPU.

usage: python3 train.py --base minilm --data DIR --tests a.jsonl b.jsonl --out DIR [--epochs 6 --lr 6e-5 --seeds 1 --layers 0]
DIR holds *.jsonl with {"a", "same": [], "contra": [], "neutral": []}; tests hold {"a", "b", "label"}.
"""
import argparse, glob, gzip, json, os, random, time
import numpy as np, torch
from torch.nn import functional as F
from transformers import BertConfig, BertForSequenceClassification
from tokenizers import Tokenizer

LABELS = ['same', 'contradiction', 'neutral']

def load_base(path, layers):
    z = np.load(os.path.join(path, 'weights.npz'))
    sd = {}
    for k in z.files:
        if k.endswith('.q8'): sd[k[:-3]] = torch.tensor(z[k].astype(np.float32) * z[k[:-3] + '.s8'])
        elif not k.endswith('.s8'): sd[k] = torch.tensor(z[k].astype(np.float32))
    n = 1 + max(int(k.split('.')[2]) for k in sd if k.startswith('encoder.layer.'))
    config = BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=n, num_attention_heads=12, intermediate_size=1536,
                        num_labels=3, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1, attn_implementation='eager')
    model = BertForSequenceClassification(config)
    missing, unexpected = model.bert.load_state_dict(sd, strict=False)
    missing = [m for m in missing if 'pooler' not in m and 'position_ids' not in m]
    assert not missing and not [u for u in unexpected if 'position_ids' not in u], (missing, unexpected)
    torch.nn.init.eye_(model.bert.pooler.dense.weight); torch.nn.init.zeros_(model.bert.pooler.dense.bias)
    return model

def anchors(folder):
    rows = []
    for f in sorted(glob.glob(os.path.join(folder, '*.jsonl'))):
        for line in open(f):
            if line.strip(): rows.append(json.loads(line))
    return rows

def pairs_of(rows, rng, derived=True):
    out = []
    for r in rows:
        a = r['a']
        for b in r['same']: out.append((a, b, 0))
        for b in r['contra']: out.append((a, b, 1))
        for b in r['neutral']: out.append((a, b, 2))
        if derived:
            s, c, n = r['same'], r['contra'], r['neutral']
            for i in range(len(s)):
                for j in range(i + 1, len(s)): out.append((s[i], s[j], 0))
                for b in c: out.append((s[i], b, 1))
                for b in rng.sample(n, min(2, len(n))): out.append((s[i], b, 2))
            for i in range(len(n)):
                if rng.random() < .5:
                    j = rng.randrange(len(n))
                    if i != j: out.append((n[i], n[j], 2))
    for _ in range(len(rows) // 2):
        x, y = rng.sample(rows, 2)
        out.append((x['a'], rng.choice([y['a']] + y['same'] + y['contra']), 2))
    return out

def unlabelled(rows, rng):
    out = []
    for r in rows:
        s, c, n = r['same'], r['contra'], r['neutral']
        out += [(x, y) for i, x in enumerate(c) for y in c[i + 1:]]
        out += [(x, rng.choice(n)) for x in c]
        out += [(x, y) for i, x in enumerate(n) for y in n[i + 1:] if rng.random() < .5]
    return out

class Encoder:
    def __init__(self, path):
        self.tok = Tokenizer.from_file(path); self.tok.enable_truncation(128); self.tok.no_padding(); self.seen = {}
    def batch(self, rows, device):
        enc = []
        for a, b in rows:
            if (a, b) not in self.seen: self.seen[a, b] = self.tok.encode(a, b)
            enc.append(self.seen[a, b])
        m = max(len(e.ids) for e in enc)
        ids = torch.zeros(len(enc), m, dtype=torch.long); tt = ids.clone(); am = ids.clone()
        for i, e in enumerate(enc):
            k = len(e.ids); ids[i, :k] = torch.tensor(e.ids); tt[i, :k] = torch.tensor(e.type_ids); am[i, :k] = 1
        return dict(input_ids=ids.to(device), token_type_ids=tt.to(device), attention_mask=am.to(device))

def probs(models, enc, rows, device):
    ps = []
    with torch.no_grad(), torch.autocast('cuda', dtype=torch.bfloat16):
        for i in range(0, len(rows), 256):
            ch = rows[i:i + 256]
            p = 0
            for m in models:
                m.eval()
                p = p + m(**enc.batch([(a, b) for a, b, *_ in ch], device)).logits.float().softmax(-1)
                p = p + m(**enc.batch([(b, a) for a, b, *_ in ch], device)).logits.float().softmax(-1)
            ps.append(p / (2 * len(models)))
    return torch.cat(ps).cpu().numpy()

def report(name, p, y, verbose=None, rows=None):
    pred = p.argmax(1); acc = (pred == y).mean()
    out = [f'{name:24s} n={len(y)} acc={acc:.3f}']
    for k, l in enumerate(LABELS):
        tp = ((pred == k) & (y == k)).sum(); pr = tp / max(1, (pred == k).sum()); rc = tp / max(1, (y == k).sum())
        out.append(f'{l[:6]} P={pr:.3f} R={rc:.3f} F={2*pr*rc/max(1e-9,pr+rc):.3f}')
    out.append(f'neutral->contra={((pred==1)&(y==2)).sum()/max(1,(y==2).sum()):.3f}')
    # best operating point that keeps contradiction precision >= .9: threshold on p[1]
    order = np.argsort(-p[:, 1]); best = 0
    tp = 0
    for i, o in enumerate(order):
        tp += y[o] == 1
        if tp / (i + 1) >= .9: best = tp / max(1, (y == 1).sum())
    out.append(f'contra R@P90={best:.3f}')
    print(' | '.join(out), flush=True)
    if verbose:
        for (a, b, *_), yy, pp in zip(rows, y, p):
            if pp.argmax() != yy: print(f'   {LABELS[yy]}->{LABELS[pp.argmax()]} {pp.max():.2f} :: {a} || {b}')

def train(base, enc, data, args, seed, device):
    torch.manual_seed(seed); random.seed(seed)
    model = load_base(base, args.layers).to(device)
    no = ['bias', 'LayerNorm']
    groups = [{'params': [p for n, p in model.named_parameters() if not any(x in n for x in no)], 'weight_decay': .01},
              {'params': [p for n, p in model.named_parameters() if any(x in n for x in no)], 'weight_decay': 0}]
    opt = torch.optim.AdamW(groups, lr=args.lr)
    hard = [l if isinstance(l, int) else int(np.argmax(l)) for *_, l in data]
    counts = np.bincount(hard, minlength=3)
    weight = torch.tensor(len(data) / 3 / counts, dtype=torch.float, device=device)
    steps = args.epochs * (len(data) // args.bs + 1)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, s / (.06 * steps)) * max(0, (steps - s) / steps))
    t = time.time()
    for ep in range(args.epochs):
        random.shuffle(data); model.train(); tot = 0
        for i in range(0, len(data), args.bs):
            ch = data[i:i + args.bs]
            rows = [(a, b) if random.random() < .5 else (b, a) for a, b, _ in ch]
            y = torch.tensor(np.array([l for *_, l in ch]), device=device)
            if y.dim() == 2: y = y.float()
            with torch.autocast('cuda', dtype=torch.bfloat16):
                loss = F.cross_entropy(model(**enc.batch(rows, device)).logits.float(), y, label_smoothing=0 if y.dim() == 2 else .05, weight=weight)
            opt.zero_grad(); loss.backward(); torch.nn.utils.clip_grad_norm_(model.parameters(), 1.); opt.step(); sched.step(); tot += loss.item() * len(ch)
        print(f'  seed {seed} epoch {ep} loss {tot/len(data):.4f} {time.time()-t:.0f}s', flush=True)
    return model

def export(model, enc, folder, tests):
    import onnxruntime as ort
    from onnxruntime.quantization import quantize_dynamic, QuantType
    os.makedirs(folder, exist_ok=True)
    class Plain(torch.nn.Module):
        def __init__(self, m): super().__init__(); self.m = m
        def forward(self, input_ids, attention_mask, token_type_ids):
            return self.m(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).logits
    m = Plain(model.cpu().float().eval()); b = enc.batch([('a b c', 'd e'), ('x', 'y z w v')], 'cpu')
    axes = {k: {0: 'batch', 1: 'sequence'} for k in ('input_ids', 'attention_mask', 'token_type_ids')} | {'logits': {0: 'batch'}}
    full, small = os.path.join(folder, 'model.onnx'), os.path.join(folder, 'model.int8.onnx')
    torch.onnx.export(m, (b['input_ids'], b['attention_mask'], b['token_type_ids']), full, input_names=['input_ids', 'attention_mask', 'token_type_ids'],
                      output_names=['logits'], dynamic_axes=axes, opset_version=17, dynamo=False)
    quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=False)
    safe = os.path.join(folder, 'model.int7.onnx')
    quantize_dynamic(full, safe, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    for path in (small, safe):
        raw = open(path, 'rb').read(); name = os.path.basename(path).split('.')[1]
        for i in range(0, len(raw), 15 << 20): open(os.path.join(folder, f'{name}.part{i // (15 << 20)}'), 'wb').write(raw[i:i + (15 << 20)])
        print(name, 'bytes', len(raw))
    for path in (full, small, safe):
        session = ort.InferenceSession(path)
        for f in tests:
            t = [json.loads(l) for l in open(f) if l.strip()]; ps = []
            for r in t:
                p = 0
                for pair in ((r['a'], r['b']), (r['b'], r['a'])):
                    x = {k: v.numpy() for k, v in enc.batch([pair], 'cpu').items()}
                    z = session.run(None, x)[0][0]; z = np.exp(z - z.max()); p = p + z / z.sum() / 2
                ps.append(p)
            report(os.path.basename(path) + ' ' + os.path.basename(f), np.array(ps), np.array([LABELS.index(r['label']) for r in t]))
    for path in (full, small, safe): os.remove(path)

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--base', required=True); ap.add_argument('--data', required=True); ap.add_argument('--tests', nargs='*', default=[])
    ap.add_argument('--out', default=None); ap.add_argument('--epochs', type=int, default=6); ap.add_argument('--lr', type=float, default=6e-5)
    ap.add_argument('--bs', type=int, default=64); ap.add_argument('--seeds', type=int, default=1); ap.add_argument('--layers', type=int, default=0)
    ap.add_argument('--seed', type=int, default=0, help='the first one')
    ap.add_argument('--teach'); ap.add_argument('--soft', nargs='*', default=[], help='of several teachers: their average'); ap.add_argument('--export')
    ap.add_argument('--strangers', help='JSON lines {a, b}: near each other and unrelated (strangers.ts); trained on as neutral')
    ap.add_argument('--verbose', action='store_true'); ap.add_argument('--cv', type=float, default=.1)
    args = ap.parse_args(); device = 'cuda'
    enc = Encoder(os.path.join(args.base, 'tokenizer.json'))
    rows = anchors(args.data); rng = random.Random(7); rng.shuffle(rows)
    k = int(len(rows) * args.cv); val, tr = rows[:k], rows[k:]
    data = pairs_of(tr, rng); extra = unlabelled(tr, rng)
    if args.strangers:
        aside = {t for r in val for t in [r['a'], *r['same'], *r['contra'], *r['neutral']]}
        found = [json.loads(l) for l in open(args.strangers) if l.strip()]
        data += [(r['a'], r['b'], 2) for r in found if r['a'] not in aside and r['b'] not in aside]
    if args.soft:
        soft = {}
        for f in args.soft:
            for l in gzip.open(f, 'rt'):
                r = json.loads(l); soft[r['a'], r['b']] = soft.get((r['a'], r['b']), 0) + np.array(r['p']) / len(args.soft)
        eye = np.eye(3)
        data = [(a, b, .5 * eye[l] + .5 * soft.get((a, b), .9 * eye[l] + .1 / 3)) for a, b, l in data] + [(a, b, soft[a, b]) for a, b in extra if (a, b) in soft]
    print(len(rows), 'anchors', len(data), 'training pairs', flush=True)
    models = [train(args.base, enc, list(data), args, s, device) for s in range(args.seed, args.seed + args.seeds)]
    if val:
        v = pairs_of(val, rng, derived=False); report('validation', probs(models, enc, v, device), np.array([l for *_, l in v]))
    for f in args.tests:
        t = [json.loads(l) for l in open(f) if l.strip()]
        t = [(r['a'], r['b'], LABELS.index(r['label'])) for r in t]
        y = np.array([l for *_, l in t])
        for i, m in enumerate(models): report(os.path.basename(f) + f'#{i}', probs([m], enc, t, device), y)
        report(os.path.basename(f), probs(models, enc, t, device), y, args.verbose, t)
    if args.teach:
        rows = [(a, b) for a, b, _ in data] + extra
        p = probs(models, enc, rows, device)
        with gzip.open(args.teach, 'wt') as f:
            for (a, b), q in zip(rows, p): f.write(json.dumps({'a': a, 'b': b, 'p': [round(float(x), 3) for x in q]}) + '\n')
    if args.export: export(models[0], enc, args.export, args.tests)
    if args.out:
        os.makedirs(args.out, exist_ok=True)
        m = models[0].cpu().float().eval()
        torch.save({k: v.half() for k, v in m.state_dict().items()}, os.path.join(args.out, 'model.pt'))
if __name__ == '__main__': main()
