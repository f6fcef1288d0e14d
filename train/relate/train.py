"""Trains the relation model: teachers of twelve layers, then a student of fewer that learns from what all of them say.

  python3 train.py teacher --seed 1 --out t1.pt
  python3 train.py student --teachers t1.pt t2.pt t3.pt --layers 6 --epochs 6 --batch 256 --lr 2e-4 --rounded 2 --export out
  python3 train.py more --start student.pt --teachers student.pt --new new.jsonl --sample 30000 --epochs 1 --lr 3e-5 --rounded 1 --export out   # a processor will do
  python3 train.py test --teachers t1.pt t2.pt t3.pt --tests FILE...

--base: a folder with weights.npz and tokenizer.json (extract.py). --groups: *.jsonl {a, same, contra, neutral}. --strangers: JSON lines {a, b}, near and
unrelated. --own: a student that begins with --base as it is. --aside .05 keeps groups back, on which everything reports.
"""
import argparse, glob, json, os, random, sys
import numpy as np, torch
from torch.nn import functional as F
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from encoder import DEVICE, Rows, export, fit, from_base, logits, read, save, saved, thinned, tokenizer

LABELS = ['same', 'contradiction', 'neutral']
EYE = np.eye(3)


def labelled(groups, rng):
    """What the writers said, and what follows from it within a group."""
    out = []
    for g in groups:
        a, s, c, n = g['a'], g['same'], g['contra'], g['neutral']
        out += [(a, b, 0) for b in s] + [(a, b, 1) for b in c] + [(a, b, 2) for b in n]
        for i, x in enumerate(s):
            out += [(x, y, 0) for y in s[i + 1:]] + [(x, b, 1) for b in c] + [(x, b, 2) for b in rng.sample(n, min(2, len(n)))]
        out += [(x, y, 2) for x in n if rng.random() < .5 for y in [rng.choice(n)] if x != y]
    for _ in range(len(groups) // 2):
        x, y = rng.sample(groups, 2); out.append((x['a'], rng.choice([y['a'], *y['same'], *y['contra']]), 2))
    return out


def unlabelled(groups, rng):
    """Combinations within a group about which nobody said anything."""
    out = []
    for g in groups:
        c, n = g['contra'], g['neutral']
        out += [(x, y) for i, x in enumerate(c) for y in c[i + 1:]] + [(x, rng.choice(n)) for x in c if n]
        out += [(x, y) for i, x in enumerate(n) for y in n[i + 1:] if rng.random() < .5]
    return out


def near(groups, rng, model, tok, each):
    """Some of the ten nearest statements of other groups, as an admission meets them. Nobody labelled them; the teachers do."""
    texts = [(t, i) for i, g in enumerate(groups) for t in (g['a'], *g['same'][:1], *g['contra'][:1])]
    rows = Rows(tok, [t for t, _ in texts]); vectors = torch.empty(len(texts), 384, device=DEVICE); of = torch.tensor([i for _, i in texts], device=DEVICE); out = []
    with torch.no_grad(), torch.autocast(DEVICE, dtype=torch.bfloat16):
        for i in range(0, len(texts), 512):
            b = rows.batch(np.arange(i, min(i + 512, len(texts)))); m = b['attention_mask'][..., None]
            vectors[i:i + 512] = F.normalize((model.bert(**b).last_hidden_state.float() * m).sum(1) / m.sum(1), dim=-1)
    for i in range(0, len(texts), 2048):
        cosine = vectors[i:i + 2048] @ vectors.T; cosine[of[i:i + 2048, None] == of[None]] = -1
        for k, found in enumerate(cosine.topk(10).indices.cpu().tolist()): out += [(texts[i + k][0], texts[j][0]) for j in rng.sample(found, each)]
    return out


def likely(models, tok, pairs):
    """The average of both orders and all models."""
    rows = Rows(tok, pairs); return sum(logits([m], rows, order).softmax(-1) for m in models for order in (0, 1)).cpu().numpy() / (2 * len(models))


def learn(model, tok, data, labels, args, name, **rest):
    """data: (a, b, shares of the labels), of which the first so many were labelled: among those every label counts alike."""
    y = torch.tensor(np.array([l for *_, l in data]), dtype=torch.float, device=DEVICE); weight = labels / 3 / torch.bincount(y[:labels].argmax(1), minlength=3)
    return fit(model, Rows(tok, [(a, b) for a, b, _ in data]), lambda z, b: F.cross_entropy(z, y[b], weight=weight), args, name, **rest)


def report(name, p, y):
    """With the thresholds of judge.ts."""
    p = p ** 1.5; p = p / p.sum(1, keepdims=True); pred = np.where(p[:, 1] >= .65, 1, np.where(p[:, 0] >= .6, 0, 2)); hits = lambda a, b: ((pred == a) & (y == b)).sum()
    shares = [hits(k, k) / max(1, total) for k in (1, 0) for total in ((pred == k).sum(), (y == k).sum())]; nll = -np.log(np.maximum(p[np.arange(len(y)), y], 1e-6)).mean()
    print(f'{name:34s} n={len(y)} likeliest {(p.argmax(1) == y).mean():.3f} decided {(pred == y).mean():.3f} contra {shares[0]:.3f}/{shares[1]:.3f} same {shares[2]:.3f}/{shares[3]:.3f}'
          f' neutral->contra {hits(1, 2) / max(1, (y == 2).sum()):.3f} nll {nll:.3f}', flush=True)


def main():
    ap = argparse.ArgumentParser(); ap.add_argument('what', choices=['teacher', 'student', 'more', 'test'])
    ap.add_argument('--base', default='base'); ap.add_argument('--groups', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), 'groups')); ap.add_argument('--strangers')
    ap.add_argument('--aside', type=float, default=.05); ap.add_argument('--tests', nargs='*', default=[]); ap.add_argument('--teachers', nargs='*', default=[])
    ap.add_argument('--seed', type=int, default=1); ap.add_argument('--epochs', type=int, default=4); ap.add_argument('--batch', type=int, default=128); ap.add_argument('--lr', type=float, default=9e-5)
    ap.add_argument('--layers', type=int, default=6); ap.add_argument('--own', action='store_true'); ap.add_argument('--near', type=int, default=4)
    ap.add_argument('--seconds', type=float, default=0, help='at most, for the training itself'); ap.add_argument('--push', type=float, default=0, help='how far words are moved against the model'); ap.add_argument('--say', help='a file for the likelihoods of the tests'); ap.add_argument('--follow', type=float, default=1., help='weight of the hidden states'); ap.add_argument('--rounded', type=int, default=0, help='last epochs with the rounding of int8')
    ap.add_argument('--start', help='a finished student'); ap.add_argument('--new', nargs='*', default=[], help='groups that a finished student has not seen'); ap.add_argument('--sample', type=int, default=30000, help='pairs of the others that it sees again'); ap.add_argument('--out'); ap.add_argument('--export'); ap.add_argument('--name')
    args = ap.parse_args(); tok = tokenizer(args.base); rng = random.Random(7); name = args.name or f'{args.what} {args.seed}'
    groups = [g for f in sorted(glob.glob(os.path.join(args.groups, '*.jsonl'))) for g in read(f)]; rng.shuffle(groups); k = int(len(groups) * args.aside)
    kept, groups = groups[:k], groups[k:]; hidden = {t for g in kept for t in (g['a'], *g['same'], *g['contra'], *g['neutral'])}
    sets = [('aside', [(g['a'], b, l) for g in kept for l, key in enumerate(('same', 'contra', 'neutral')) for b in g[key]])] if kept else []
    sets += [(os.path.basename(f), [(r['a'], r['b'], LABELS.index(r['label'])) for r in read(f)]) for f in args.tests]
    def show(name, models):
        for s, rows in sets:
            p = likely(models, tok, [(a, b) for a, b, _ in rows]); report(f'{name} {s}', p, np.array([l for *_, l in rows]))
            if args.say: open(args.say, 'a').writelines(json.dumps({'model': name, 'set': s, 'a': a, 'b': b, 'label': l, 'p': [round(float(x), 4) for x in q]}) + '\n' for (a, b, l), q in zip(rows, p))
    teachers = [saved(t) for t in args.teachers]
    if args.what == 'test':
        for path, t in zip(args.teachers, teachers): show(os.path.basename(path), [t])
        return show('all', teachers)
    data = labelled(groups, rng) + [(r['a'], r['b'], 2) for r in (read(args.strangers) if args.strangers else []) if r['a'] not in hidden and r['b'] not in hidden]
    if args.what == 'teacher': model = learn(from_base(args.base, 3), tok, [(a, b, .95 * EYE[l] + .05 / 3) for a, b, l in data], len(data), args, name)
    elif args.what == 'more':
        model = saved(args.start); fresh = labelled([g for f in args.new for g in read(f)], rng); again = random.Random(args.seed).sample(data, args.sample); n = len(fresh) + len(again)
        # Of what is known already most is as the teachers say it: one of them is the student before.
        said = likely(teachers, tok, [(a, b) for a, b, _ in fresh + again]); shares = [.1] * len(fresh) + [.7] * len(again); print(len(fresh), 'new pairs,', len(again), 'again', flush=True)
        data = [(a, b, (1 - share) * EYE[l] + share * p) for (a, b, l), p, share in zip(fresh + again, said, shares)]; model.bert.embeddings.requires_grad_(False)
        model = learn(model, tok, data, n, args, name)
    else:
        more = unlabelled(groups, rng) + (near(groups, rng, from_base(args.base, 3).eval(), tok, args.near) if args.near else [])
        said = likely(teachers, tok, [(a, b) for a, b, _ in data] + more); n = len(data); print(len(groups), 'groups', n, 'pairs', len(more), 'without a label', flush=True)
        data = [(a, b, .5 * EYE[l] + .5 * p) for (a, b, l), p in zip(data, said)] + [(a, b, p) for (a, b), p in zip(more, said[n:])]
        if args.own: model = learn(from_base(args.base, 3), tok, data, n, args, name)
        else:
            model, follow = thinned(teachers[0], args.layers)
            model = learn(model, tok, data, n, args, name, teacher=teachers[0] if args.follow else None, follow=follow)
    show(name, [model])
    if args.out: save(model, args.out)
    def check(title, ask):
        soft = lambda z: np.exp(z - z.max()) / np.exp(z - z.max()).sum()
        for s, rows in sets:
            rows = rows if len(rows) <= 600 else random.Random(3).sample(rows, 600)
            report(f'{title} {s}', np.array([(soft(ask(tok.encode(a, b))) + soft(ask(tok.encode(b, a)))) / 2 for a, b, _ in rows]), np.array([l for *_, l in rows]))
    if args.export: export(model, args.export, name, check)


main()
