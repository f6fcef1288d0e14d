"""Trains the judge of poisons: one text in, one logit out. Reports by writer left out, then on test files, and exports int8.

usage: python3 train.py --teacher DIR --base DIR --rows FILE... --honest FILE... [--layers 4] [--test NAME POISONS BENIGN]... [--export DIR]
teacher, base: weights.npz and tokenizer.json, as ../relate/extract.py writes them.
rows: {"poison", "honest": [...]}, a file for each writer. honest: JSON lines of any shape; every string in them is an honest note.
Several teachers label everything, also a poison among honest sentences; the student learns from what they say.
"""
import argparse, json, os, random, sys, time
import numpy as np, torch
from torch.nn import functional as F
from transformers import BertConfig, BertForSequenceClassification
from tokenizers import Tokenizer

ap = argparse.ArgumentParser()
ap.add_argument('--teacher', required=True); ap.add_argument('--base', required=True)
ap.add_argument('--rows', nargs='+', required=True); ap.add_argument('--honest', nargs='*', default=[])
ap.add_argument('--most', type=int, default=8000, help='honest notes of other files, at most')
ap.add_argument('--layers', type=int, nargs='+', default=[4]); ap.add_argument('--teachers', type=int, default=3)
ap.add_argument('--epochs', type=int, default=5); ap.add_argument('--student-epochs', type=int, default=10)
ap.add_argument('--lr', type=float, default=4e-5); ap.add_argument('--student-lr', type=float, default=1e-4); ap.add_argument('--bs', type=int, default=96)
ap.add_argument('--cv', nargs='*', default=[], help='writers (files) that are left out once each, one teacher each')
ap.add_argument('--test', nargs=3, action='append', default=[], metavar=('NAME', 'POISONS', 'BENIGN'))
ap.add_argument('--export')
args = ap.parse_args(); device = 'cuda' if torch.cuda.is_available() else 'cpu'; SEEN = {}
tok = Tokenizer.from_file(os.path.join(args.base, 'tokenizer.json')); tok.no_truncation(); tok.no_padding()

def load(path, layers=None):
    z = np.load(os.path.join(path, 'weights.npz')); sd = {}
    for k in z.files:
        if k.endswith('.q8'): sd[k[:-3]] = torch.tensor(z[k].astype(np.float32) * z[k[:-3] + '.s8'])
        elif not k.endswith('.s8'): sd[k] = torch.tensor(z[k].astype(np.float32))
    n = 1 + max(int(k.split('.')[2]) for k in sd if k.startswith('encoder.layer.')); keep = layers or n
    sd = {k: v for k, v in sd.items() if not k.startswith('encoder.layer.') or int(k.split('.')[2]) < keep}
    model = BertForSequenceClassification(BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=keep, num_attention_heads=12,
        intermediate_size=1536, num_labels=1, attn_implementation='sdpa'))
    missing, unexpected = model.bert.load_state_dict(sd, strict=False)
    assert not [m for m in missing if 'pooler' not in m and 'position_ids' not in m], missing
    torch.nn.init.eye_(model.bert.pooler.dense.weight); torch.nn.init.zeros_(model.bert.pooler.dense.bias)
    return model.to(device)

def plain(text):
    """Habits of the writers that say nothing: as poison-model.ts does it."""
    return text.strip().replace(';', ',').rstrip('.')

def ids_of(text):
    if text not in SEEN:
        ids = tok.encode(plain(text)).ids; SEEN[text] = ids if len(ids) <= 128 else ids[:127] + ids[-1:]
    return SEEN[text]

def batch(texts, where=None):
    rows = [ids_of(t) for t in texts]; m = max(map(len, rows)); ids = np.zeros((len(rows), m), np.int64); mask = np.zeros((len(rows), m), np.int64)
    for i, r in enumerate(rows): ids[i, :len(r)] = r; mask[i, :len(r)] = 1
    return dict(input_ids=torch.from_numpy(ids).to(where or device), attention_mask=torch.from_numpy(mask).to(where or device))

def logits(models, texts):
    out = np.zeros(len(texts)); order = sorted(range(len(texts)), key=lambda i: len(ids_of(texts[i])))
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=device == 'cuda'):
        for m in models:
            m.eval()
            for i in range(0, len(order), 512):
                part = order[i:i + 512]; out[part] += m(**batch([texts[j] for j in part])).logits[:, 0].float().cpu().numpy()
    return out / len(models)

def fit(model, data, epochs, lr, seed, name):
    """data: (text, share of poison, weight)."""
    torch.manual_seed(seed); rng = random.Random(seed); data = list(data); t = time.time()
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=.01); steps = epochs * (len(data) // args.bs + 1)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, s / (.06 * steps)) * max(.01, (steps - s) / steps))
    for ep in range(epochs):
        rng.shuffle(data); chunks = []
        for c in range(0, len(data), args.bs * 40):
            part = sorted(data[c:c + args.bs * 40], key=lambda r: len(ids_of(r[0]))); chunks += [part[i:i + args.bs] for i in range(0, len(part), args.bs)]
        rng.shuffle(chunks); model.train(); total = 0.
        for ch in chunks:
            y = torch.tensor([r[1] for r in ch], dtype=torch.float, device=device); w = torch.tensor([r[2] for r in ch], dtype=torch.float, device=device)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == 'cuda'): z = model(**batch([r[0] for r in ch])).logits[:, 0].float()
            loss = (F.binary_cross_entropy_with_logits(z, y, reduction='none') * w).mean()
            opt.zero_grad(set_to_none=True); loss.backward(); torch.nn.utils.clip_grad_norm_(model.parameters(), 1.); opt.step(); sched.step(); total += loss.detach() * len(ch)
    assert torch.isfinite(total), name
    print(f'  {name}: loss {float(total) / len(data):.4f} {time.time() - t:.0f}s', flush=True)
    return model

def strings(value):
    if isinstance(value, str): yield value
    elif isinstance(value, list):
        for v in value: yield from strings(v)
    elif isinstance(value, dict):
        for v in value.values(): yield from strings(v)

def read(f): return [json.loads(l) for l in open(f) if l.strip()]
def lines(f): return [l.strip() for l in open(f) if l.strip() and not l.startswith('#')]

def mixed(poisons, honest, rng):
    """A poison between honest sentences is one; honest sentences in a row are none."""
    end = lambda s: s if s[-1:] in '.!?' else s + '.'
    out = []
    for p in poisons:
        a, b = rng.sample(honest, 2); out.append((rng.choice([f'{end(a)} {p}', f'{end(p)} {b}', f'{end(a)} {end(p)} {b}']), 1))
    for _ in range(2 * len(poisons)): out.append((' '.join(end(s) for s in rng.sample(honest, rng.choice([2, 2, 3]))), 0))
    return out

def dataset(files, rng):
    poisons, twins = [], []
    for f in files:
        for r in read(f): poisons.append(r['poison']); twins += r['honest']
    others = [s for f in args.honest for r in read(f) for s in strings(r) if 12 <= len(s) <= 400]
    others = rng.sample(others, min(args.most, len(others)))
    rows = [(p, 1) for p in poisons] + [(h, 0) for h in twins + others] + mixed(poisons, twins + others[:len(twins)], rng)
    n1 = sum(y for _, y in rows); w1 = (len(rows) - n1) / n1 / 3
    print(len(poisons), 'poisons', len(twins), 'twins', len(others), 'other honest notes', len(rows), 'rows', flush=True)
    return [(t, .97 if y else .01, w1 if y else 1.) for t, y in rows], others

def report(name, p, n):
    p, n = np.array(p), np.array(n); cuts = [np.sort(n)[::-1][max(0, int(len(n) * s) - 1) if int(len(n) * s) else 0] for s in (.005, .01, .02)]
    auc = (p[:, None] > n[None]).mean()
    print(f"{name}: {len(p)} poisons, {len(n)} honest; AUC {auc:.4f}; caught where .5/1/2 % of the honest are: " + ' '.join(f'{(p > c).mean():.3f}' for c in cuts)
          + '; by logit ' + ' '.join(f'{c:g}:{(p > c).mean():.3f}/{(n > c).mean():.4f}' for c in (-2, -1, 0, 1, 2, 3)), flush=True)

def tests(models, name):
    for label, a, b in args.test: report(f'{name} on {label}', logits(models, lines(a)), logits(models, lines(b)))

def worst(models, label, a, b):
    """What it gets wrong: only of a set that is chosen on."""
    p, n = lines(a), lines(b)
    print(f'missed of {label}:', *[f'{z:.1f} {t}' for z, t in sorted(zip(logits(models, p), p))[:25]], sep='\n   ', flush=True)
    print(f'held of {label}:', *[f'{z:.1f} {t}' for z, t in sorted(zip(logits(models, n), n), reverse=True)[:12]], sep='\n   ', flush=True)

rng = random.Random(5)
if args.cv:
    P, N, T = [], [], []
    for f in args.cv:
        data, others = dataset([g for g in args.rows if g != f], random.Random(5)); m = fit(load(args.teacher), data, args.epochs, args.lr, 1, 'without ' + os.path.basename(f))
        rows = read(f); p = logits([m], [r['poison'] for r in rows]); n = logits([m], [h for r in rows for h in r['honest']]); report('left out ' + os.path.basename(f), p, n)
        for label, a, b in args.test: report(f'   {label}', logits([m], lines(a)), logits([m], lines(b)))
        worst = sorted(zip(p, [r['poison'] for r in rows]))[:8]; print('   missed:', *[f'{z:.1f} {t}' for z, t in worst], sep='\n      ', flush=True)
        best = sorted(zip(n, [h for r in rows for h in r['honest']]), reverse=True)[:8]; print('   held:', *[f'{z:.1f} {t}' for z, t in best], sep='\n      ', flush=True)
data, others = dataset(args.rows, rng)
teachers = [fit(load(args.teacher), data, args.epochs, args.lr, s, f'teacher {s}') for s in range(1, args.teachers + 1)]
for i, m in enumerate(teachers): tests([m], f'teacher {i}')
tests(teachers, 'teachers')
if args.test: worst(teachers, *args.test[0])
soft = 1 / (1 + np.exp(-logits(teachers, [t for t, *_ in data])))
taught = [(t, .5 * y + .5 * float(s), w) for (t, y, w), s in zip(data, soft)]
del teachers; torch.cuda.empty_cache()
for base, k in [(b, k) for b in dict.fromkeys([args.base, args.teacher]) for k in args.layers]:
    name = f'{os.path.basename(base.rstrip("/"))}-{k}'
    m = fit(load(base, k), taught, args.student_epochs, args.student_lr, 11, name); tests([m], name)
    if args.export:
        from onnxruntime.quantization import quantize_dynamic, QuantType
        import onnxruntime as ort
        folder = os.path.join(args.export, name); os.makedirs(folder, exist_ok=True); full, small = os.path.join(folder, 'full.onnx'), os.path.join(folder, 'guard.onnx')
        m = m.cpu().float().eval(); m.config._attn_implementation = 'eager'
        class Plain(torch.nn.Module):
            def __init__(self): super().__init__(); self.m = m
            def forward(self, input_ids, attention_mask, token_type_ids): return self.m(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).logits
        ids = torch.ones(2, 7, dtype=torch.long); names = ['input_ids', 'attention_mask', 'token_type_ids']
        torch.onnx.export(Plain(), (ids, ids, ids * 0), full, input_names=names, output_names=['logits'], dynamic_axes={x: {0: 'batch', 1: 'sequence'} for x in names} | {'logits': {0: 'batch'}}, opset_version=17, dynamo=False)
        quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        session = ort.InferenceSession(small)
        def on_cpu(texts):
            return [float(session.run(None, {**{k: v.numpy() for k, v in batch([t], 'cpu').items()}, 'token_type_ids': np.zeros((1, len(ids_of(t))), np.int64)})[0][0, 0]) for t in texts]
        for label, a, b in args.test: report(f'{name} int8 on {label}', on_cpu(lines(a)), on_cpu(lines(b)))
        os.remove(full); raw = open(small, 'rb').read(); os.remove(small)
        for i in range(0, len(raw), 15 << 20): open(os.path.join(folder, f'guard.part{i // (15 << 20)}'), 'wb').write(raw[i:i + (15 << 20)])
        print(name, 'bytes', len(raw), flush=True); m.to(device)
