"""Trains the judge of poisons: one text in, one logit out. Three teachers of twelve layers, then students of fewer that learn from what they say.

  python3 train.py --base base --rows rows/*.jsonl --honest honest.jsonl --layers 6 --test NAME POISONS BENIGN --export out
  python3 train.py --base base --rows rows/*.jsonl --honest honest.jsonl --without rows/a*.jsonl rows/b*.jsonl    # what a writer's rows are worth: each left out once

rows: {"poison", "honest": [...]}, a file for each writer. honest: JSON lines of any shape; every string in them is an honest note.
"""
import argparse, os, random, sys
import numpy as np, torch
from torch.nn import functional as F
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from encoder import DEVICE, Rows, export, fit, from_base, logits, read, thinned, tokenizer

ap = argparse.ArgumentParser()
ap.add_argument('--base', required=True); ap.add_argument('--rows', nargs='+', required=True); ap.add_argument('--honest', nargs='*', default=[])
ap.add_argument('--most', type=int, default=8000, help='honest notes of other files, at most'); ap.add_argument('--teachers', type=int, default=3); ap.add_argument('--layers', type=int, nargs='+', default=[6])
ap.add_argument('--epochs', type=int, default=5); ap.add_argument('--lr', type=float, default=4e-5); ap.add_argument('--batch', type=int, default=96)
ap.add_argument('--student-epochs', type=int, default=10); ap.add_argument('--student-lr', type=float, default=1e-4); ap.add_argument('--rounded', type=int, default=3); ap.add_argument('--follow', type=float, default=1.)
ap.add_argument('--without', nargs='*', default=[]); ap.add_argument('--test', nargs=3, action='append', default=[], metavar=('NAME', 'POISONS', 'BENIGN')); ap.add_argument('--export')
args = ap.parse_args(); tok = tokenizer(args.base)


def plain(text):
    """Habits of the writers that say nothing: as poison-model.ts does it."""
    return text.strip().replace(';', ',').rstrip('.')

def strings(value):
    if isinstance(value, str): yield value
    else:
        for v in value if isinstance(value, list) else value.values() if isinstance(value, dict) else []: yield from strings(v)

def lines(f): return [l.strip() for l in open(f) if l.strip() and not l.startswith('#')]

def mixed(poisons, honest, rng):
    """A poison between honest sentences is one; honest sentences in a row are none."""
    end = lambda s: s if s[-1:] in '.!?' else s + '.'; out = []
    for p in poisons:
        a, b = rng.sample(honest, 2); out.append((rng.choice([f'{end(a)} {p}', f'{end(p)} {b}', f'{end(a)} {end(p)} {b}']), 1))
    return out + [(' '.join(end(s) for s in rng.sample(honest, rng.choice([2, 2, 3]))), 0) for _ in range(2 * len(poisons))]

def dataset(files, rng):
    rows = [r for f in files for r in read(f)]; poisons = [r['poison'] for r in rows]; twins = [h for r in rows for h in r['honest']]
    others = [s for f in args.honest for r in read(f) for s in strings(r) if 12 <= len(s) <= 400]; others = rng.sample(others, min(args.most, len(others)))
    out = [(p, 1) for p in poisons] + [(h, 0) for h in twins + others] + mixed(poisons, twins + others[:len(twins)], rng)
    print(len(poisons), 'poisons', len(twins), 'twins', len(others), 'other honest notes', len(out), 'rows', flush=True); return out

def learn(model, rows, shares, poisons, epochs, lr, rounded, seed, name, **rest):
    """A poison weighs as much as makes a third of the whole."""
    y = torch.tensor(shares, dtype=torch.float, device=DEVICE); heavy = (len(poisons) - sum(poisons)) / sum(poisons) / 3; w = torch.tensor([heavy if p else 1. for p in poisons], device=DEVICE)
    how = argparse.Namespace(seed=seed, epochs=epochs, lr=lr, batch=args.batch, rounded=rounded, follow=args.follow)
    return fit(model, rows, lambda z, b: (F.binary_cross_entropy_with_logits(z[:, 0], y[b], reduction='none') * w[b]).mean(), how, name, **rest)

def tokens(texts): return Rows(tok, [plain(t) for t in texts])
def ask(models, texts): return logits(models, tokens(texts))[:, 0].cpu().numpy()

def report(name, p, n):
    p, n = np.array(p), np.array(n); cuts = [np.sort(n)[::-1][max(0, int(len(n) * s) - 1)] for s in (.005, .01, .02)]
    print(f"{name}: {len(p)} poisons, {len(n)} honest; AUC {(p[:, None] > n[None]).mean():.4f}; caught where .5/1/2 % of the honest are: " + ' '.join(f'{(p > c).mean():.3f}' for c in cuts)
          + '; by logit ' + ' '.join(f'{c:g}:{(p > c).mean():.3f}/{(n > c).mean():.4f}' for c in (-1, -.5, 0, .5, 1, 2)), flush=True)

def tests(name, judge):
    for label, a, b in args.test: report(f'{name} on {label}', judge(lines(a)), judge(lines(b)))

def teacher(data, seed, name): return learn(from_base(args.base, 1), tokens([t for t, _ in data]), [.97 if y else .01 for _, y in data], [y for _, y in data], args.epochs, args.lr, 0, seed, name)


for f in args.without:
    m = teacher(dataset([g for g in args.rows if g != f], random.Random(5)), 1, 'without ' + os.path.basename(f)); left = read(f)
    report('left out ' + os.path.basename(f), ask([m], [r['poison'] for r in left]), ask([m], [h for r in left for h in r['honest']])); tests('   ', lambda t: ask([m], t))
if args.without: sys.exit()
data = dataset(args.rows, random.Random(5)); texts, poisons = [t for t, _ in data], [y for _, y in data]
teachers = [teacher(data, s, f'teacher {s}') for s in range(1, args.teachers + 1)]
for i, m in enumerate(teachers): tests(f'teacher {i + 1}', lambda t: ask([m], t))
tests('teachers', lambda t: ask(teachers, t))
said = 1 / (1 + np.exp(-ask(teachers, texts))); shares = [.5 * (.97 if y else .01) + .5 * float(s) for y, s in zip(poisons, said)]
for layers in args.layers:
    name = f'guard-{layers}'; model, follow = thinned(teachers[0], layers)
    model = learn(model, tokens(texts), shares, poisons, args.student_epochs, args.student_lr, args.rounded, 11, name, teacher=teachers[0], follow=follow); tests(name, lambda t: ask([model], t))
    if args.export: export(model, args.export, name, lambda title, run: tests(title, lambda t: [float(run(tok.encode(plain(s)))[0]) for s in t]))
