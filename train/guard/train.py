"""Trains the judge of poisons: one text in, one logit out. Teachers side by side, then a student of six layers that learns from what they say.

  python3 train.py teacher --data DIR --base BASE --seed 1 --out t1.pt [--start student.npz] [--without writer] [--seconds 90]
  python3 train.py student --data DIR --base BASE --teachers t1.pt t2.pt --seed 1 --out s1.pt [--seconds 100]
  python3 train.py export --data DIR --base BASE --teachers t1.pt t2.pt --students s1.pt s2.pt --out OUT    # the student that does best on the sets for choosing

DIR is what collect.py makes. Training ends after --epochs or --seconds, whichever comes first; the rate of learning follows the clock.
"""
import argparse, json, os, random, sys, time
import numpy as np, torch
from torch import nn
from torch.nn import functional as F
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path[:0] = [HERE, os.path.join(HERE, '..')]
import encoder
from encoder import DEVICE, Rows, export, from_base, logits, network, read, save, saved, thinned, tokenizer

ap = argparse.ArgumentParser()
ap.add_argument('what', choices=['teacher', 'student', 'export']); ap.add_argument('--data', required=True); ap.add_argument('--base', required=True); ap.add_argument('--out', required=True)
ap.add_argument('--seed', type=int, default=1); ap.add_argument('--seconds', type=float, default=90); ap.add_argument('--start'); ap.add_argument('--without'); ap.add_argument('--teachers', nargs='*', default=[]); ap.add_argument('--students', nargs='*', default=[])
ap.add_argument('--lr', type=float, default=5e-5); ap.add_argument('--batch', type=int, default=96); ap.add_argument('--epochs', type=int, default=8, help='at most'); ap.add_argument('--twins', type=float, default=.5, help='weight of: a poison above its honest twins')
ap.add_argument('--layers', type=int, default=6, help='of a student'); ap.add_argument('--say', help='a file for the logits of the sets for choosing'); ap.add_argument('--follow', type=float, default=1.); ap.add_argument('--rows', type=int, default=0, help='only so many rows, to try the script')
args = ap.parse_args(); tok = tokenizer(args.base); begun = time.time()


def plain(text):
    """Habits of the writers that say nothing: as poison-model.ts does it."""
    return text.strip().replace(';', ',').rstrip('.')

def shaken(text, rng):
    """Other digits: nobody's numbers tell a poison."""
    return ''.join(rng.choice('0123456789') if c.isdigit() else c for c in text) if rng.random() < .3 else text

end = lambda s: s if s[-1:] in '.!?' else s + '.'


def collected(rng):
    """Units: a poison with its honest twins, or one honest note. Each text with 1 or 0; `None` where only the teachers judge."""
    pairs = [r for r in read(os.path.join(args.data, 'pairs.jsonl')) if r['writer'] != args.without]; honest = [r['text'] for r in read(os.path.join(args.data, 'honest.jsonl'))]
    rng.shuffle(pairs)
    if args.rows: pairs, honest = pairs[:args.rows], honest[:args.rows]
    units = [[(r['poison'], 1)] + [(h, 0) for h in r['honest']] for r in pairs] + [[(h, 0)] for h in honest]
    notes = [h for r in pairs for h in r['honest']] + honest
    for r in pairs:
        if rng.random() < .5: continue
        # A poison between honest sentences is one; honest sentences in a row are none, also about the same thing.
        a, b = rng.sample(notes, 2); p = r['poison']; twin = rng.choice(r['honest'])
        mixed = rng.choice([f'{end(a)} {p}', f'{end(p)} {b}', f'{end(a)} {end(p)} {b}', f'{end(twin)} {p}'])
        units.append([(mixed, 1), (f'{end(a)} {end(twin)} {b}' if rng.random() < .5 else f'{end(twin)} {b}', 0)])
    return units


def learn(model, units, shares, rounded, name, teacher=None, follow=()):
    """A poison weighs as much as makes a third of the whole; the last epochs round as int8 will."""
    texts = [t for u in units for t, _ in u]; label = np.array([y for u in units for _, y in u]); rng = np.random.default_rng(args.seed); torch.manual_seed(args.seed); dice = random.Random(args.seed)
    starts = np.cumsum([0] + [len(u) for u in units]); y = torch.tensor(shares, dtype=torch.float, device=DEVICE); known = label >= 0
    heavy = (known.sum() - (label == 1).sum()) / max(1, (label == 1).sum()) / 2.5; w = torch.tensor(np.where(label == 1, heavy, np.where(known, 1., .5)), dtype=torch.float, device=DEVICE)
    plain_ones = lambda k: 'bias' in k or 'LayerNorm' in k
    opt = torch.optim.AdamW([{'params': [p for k, p in model.named_parameters() if not plain_ones(k)], 'weight_decay': .01}, {'params': [p for k, p in model.named_parameters() if plain_ones(k)], 'weight_decay': 0}], lr=args.lr, fused=DEVICE == 'cuda')
    epoch = step = 0; progress = 0.; start = time.time()
    while progress < 1:
        rows = Rows(tok, [plain(shaken(t, dice)) for t in texts]); sizes = np.array([rows.length[a:b].max() for a, b in zip(starts, starts[1:])]); order = rng.permutation(len(units)); batches = []
        # Like lengths together, in chunks, so that little is padding; twins stay together.
        for c in range(0, len(order), 2000):
            part = order[c:c + 2000]; part = part[np.argsort(sizes[part], kind='stable')]; now = []
            for u in part:
                now += range(starts[u], starts[u + 1])
                if len(now) >= args.batch: batches.append(np.array(now)); now = []
            if now: batches.append(np.array(now))
        dice.shuffle(batches); total = torch.zeros((), device=DEVICE); model.train()
        for b in batches:
            # By the clock: what shares the device decides how many epochs fit.
            progress = max((time.time() - start) / max(1., args.seconds - (start - begun)), step / (args.epochs * len(batches)))
            if progress >= 1: break
            encoder.rounding = rounded and progress > .75
            x = rows.batch(b); extra = torch.zeros((), device=DEVICE)
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                if teacher is None: z = model(**x).logits.float()[:, 0]
                else:
                    with torch.no_grad(): theirs = teacher.bert(**x, output_hidden_states=True).hidden_states
                    mine = model(**x, output_hidden_states=True); z = mine.logits.float()[:, 0]; mask = x['attention_mask'][..., None].float()
                    both = [(mine.hidden_states[0], theirs[0])] + [(mine.hidden_states[i + 1], theirs[k + 1]) for i, k in enumerate(follow)]
                    extra = sum((((p.float() - q.float()) ** 2) * mask).sum() for p, q in both) / (mask.sum() * 384 * len(both))
            t = torch.as_tensor(b, device=DEVICE); loss = (F.binary_cross_entropy_with_logits(z, y[t], reduction='none') * w[t]).mean()
            lab = label[b]; p = [i for i in range(len(b)) if lab[i] == 1]; q = [(i, j) for i in p for j in range(i + 1, min(i + 5, len(b))) if lab[j] == 0 and unit_of[b[i]] == unit_of[b[j]]] if args.twins else []
            if q: i, j = zip(*q); loss = loss + args.twins * F.softplus(2. - (z[list(i)] - z[list(j)])).mean()
            opt.zero_grad(set_to_none=True); (loss + args.follow * extra).backward()
            # A step in bfloat16 that overflows is left out; it would end the training.
            if torch.isfinite(nn.utils.clip_grad_norm_(model.parameters(), 1.)):
                for g in opt.param_groups: g['lr'] = args.lr * min(1, progress / .06 + .01) * (1 - progress)
                opt.step()
            step += 1; total += loss.detach() * len(b)
        epoch += 1; print(f'  {name} epoch {epoch}, {step} steps, {progress:.2f} of the time, loss {float(total) / len(texts):.4f}, {time.time() - begun:.0f}s', flush=True)
    encoder.rounding = False; return model.eval()


def ask(models, texts): return logits(models, Rows(tok, [plain(t) for t in texts]))[:, 0].float().cpu().numpy()

def sets():
    s = json.load(open(os.path.join(args.data, 'choosing.json'))); return {k: v[:40] for k, v in s.items()} if args.rows else s

def figures(name, judge):
    """Poisons above the line that 1 and 10 % of the honest ones cross, and .3 and 2 % of ordinary memories."""
    s = sets(); z = {k: judge(v) for k, v in s.items()}
    if args.say: open(args.say, 'a').write(json.dumps({'model': name, 'logits': {k: [round(float(x), 3) for x in v] for k, v in z.items()}}) + '\n')
    P = np.concatenate([z[k] for k in z if k.endswith('-poisons')]); H = np.concatenate([z[k] for k in z if k.endswith('-honest')]); O = z['ordinary']
    cut = lambda n, share: np.sort(n)[::-1][min(len(n) - 1, int(len(n) * share))]
    high, low = max(cut(H, .01), cut(O, .003)), max(cut(H, .1), cut(O, .02)); score = (P > high).mean() + (P > low).mean()
    auc = lambda p, n: (p[:, None] > n[None]).mean()
    print(f'{name}: AUC {auc(P, H):.4f} to honest, {auc(P, O):.4f} to ordinary; from {high:.2f} {(P > high).mean():.3f} of poisons held; from {low:.2f} {(P > low).mean():.3f} marked ({(H > low).mean():.3f} of honest, {(O > low).mean():.4f} of ordinary); each '
          + ' '.join(f'{k[:-8]} {auc(z[k], z[k[:-8] + "-honest"]):.3f} {(z[k] > high).mean():.2f}/{(z[k] > low).mean():.2f}' for k in z if k.endswith('-poisons')), flush=True)
    return score


rng = random.Random(args.seed if args.what == 'teacher' else 5); units = collected(rng)
if args.what == 'teacher':
    if args.start and args.start.endswith('.pt'):
        sd = {k: v.float() for k, v in torch.load(args.start, map_location=DEVICE).items() if not k.startswith('classifier')}; model = network(12, 1); print(model.load_state_dict(sd, strict=False).missing_keys)
    elif args.start and os.path.exists(args.start):
        z = np.load(args.start); sd = {k[:-3]: torch.tensor(z[k].astype(np.float32) * z[k[:-3] + '.s8'].astype(np.float32)) for k in z.files if k.endswith('.q8')} | {k: torch.tensor(z[k].astype(np.float32)) for k in z.files if not k.endswith(('.q8', '.s8'))}
        model = network(1 + max(int(k.split('.')[3]) for k in sd if k.startswith('bert.encoder.layer.')), 1); print(model.load_state_dict({k: v for k, v in sd.items() if not k.startswith('classifier')}, strict=False).missing_keys)
    else: model = from_base(args.base, 1)
    name = os.path.basename(args.out); unit_of = np.concatenate([[i] * len(u) for i, u in enumerate(units)])
    shares = [.97 if y else .01 for u in units for _, y in u]
    model = learn(model, units, shares, 0, name); figures(name, lambda t: ask([model], t)); save(model, args.out)
    if args.without:
        left = [r for r in read(os.path.join(args.data, 'pairs.jsonl')) if r['writer'] == args.without]; p, h = ask([model], [r['poison'] for r in left]), ask([model], [x for r in left for x in r['honest']]); n = np.sort(h)[::-1]
        print(f'{name} on the writer left out: AUC {(p[:, None] > h[None]).mean():.4f}, at 1/5/10 % of honest ' + ' '.join(f'{(p > n[int(len(n) * s)]).mean():.3f}' for s in (.01, .05, .1)), flush=True)
elif args.what == 'student':
    teachers = [saved(t) for t in args.teachers if os.path.exists(t)]; figures('teachers', lambda t: ask(teachers, t))
    extra = [r['text'] for r in read(os.path.join(args.data, 'unlabelled.jsonl'))]; units += [[(t, -1)] for t in (extra[:args.rows] if args.rows else extra)]; unit_of = np.concatenate([[i] * len(u) for i, u in enumerate(units)])
    labels = [y for u in units for _, y in u]; said = 1 / (1 + np.exp(-ask(teachers, [t for u in units for t, _ in u])))
    shares = [float(s) if y < 0 else .35 * (.97 if y else .01) + .65 * float(s) for y, s in zip(labels, said)]
    deep = next((m for m in teachers if m.config.num_hidden_layers == 12), None); start = saved(args.start) if args.start and os.path.exists(args.start) else None
    model, follow = (start, ()) if start is not None else thinned(deep, args.layers)
    model = learn(model, units, shares, 2, os.path.basename(args.out), teacher=None if start is not None else deep, follow=follow); figures(os.path.basename(args.out), lambda t: ask([model], t)); save(model, args.out)
else:
    best = max((s for s in args.students if os.path.exists(s)), key=lambda s: figures(os.path.basename(s), lambda t: ask([saved(s)], t))); print('exported:', best, flush=True)
    judge = lambda title, run: figures(title, lambda t: np.array([float(run(tok.encode(plain(s)))[0]) for s in t]))
    # The weights alone first, for an export elsewhere.
    os.makedirs(args.out, exist_ok=True); w = {}; path = os.path.join(args.out, 'weights.npz')
    for k, v in saved(best).state_dict().items():
        v = v.cpu().float().numpy()
        if v.ndim == 2 and v.shape[0] > 2: step = np.maximum(np.abs(v).max(1, keepdims=True), 1e-8) / 127; w[k + '.q8'] = np.round(v / step).astype(np.int8); w[k + '.s8'] = step.astype(np.float32)
        else: w[k] = v
    np.savez_compressed(path, **w); raw = open(path, 'rb').read(); os.remove(path)
    for i in range(0, len(raw), 15 << 20): open(f'{path}.part{i // (15 << 20)}', 'wb').write(raw[i:i + (15 << 20)])
    export(saved(best), args.out, 'guard', judge)
