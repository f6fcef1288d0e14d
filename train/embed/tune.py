"""Tunes a sentence embedder (mean pooling) so that a query lies near the memory that answers it, and reports before and after.

usage: python3 tune.py --base DIR --questions FILE... [--groups DIR] [--test FILE...] [--threads FILE.gz...] [--epochs 4 --mix 1 .6] [--export DIR]
base: weights.npz and tokenizer.json, as ../extract.py writes them.
questions, test: {"memory", "answers": [...], "not": [...]}; groups: {"a", "same": [...], "contra": [...]}.
threads: {"turns": [{"id", "text"}], "questions": [{"question", "evidence"}]}; reported on, never trained on.

What is learned:
- a query finds its memory among the batch, and a memory its query among the batch and all queries near the topic that it does not answer;
- whether a memory answers a query can be read from their cosine alone, by one scale for all (so that a threshold means something);
- paraphrases lie together, and what contradicts a statement stays near it: an admission finds by this embedder what it must compare.
The tuned weights may be mixed with the base (--mix: their share), which forgets less of what the base knows.
"""
import argparse, glob, gzip, json, os, random, sys, time
import torch
from torch.nn import functional as F
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'relate'))
import train as relate

ap = argparse.ArgumentParser()
ap.add_argument('--base', required=True); ap.add_argument('--questions', nargs='+', required=True); ap.add_argument('--groups')
ap.add_argument('--test', nargs='*', default=[]); ap.add_argument('--threads', nargs='*', default=[])
ap.add_argument('--epochs', type=int, default=4); ap.add_argument('--lr', type=float, default=4e-5); ap.add_argument('--bs', type=int, default=128)
ap.add_argument('--temperature', type=float, default=.05); ap.add_argument('--answered', type=float, default=.5, help='weight of the loss by one scale for all')
ap.add_argument('--contra', type=float, default=.33, help='share of the contradictions that are pairs too'); ap.add_argument('--alike', type=float, default=2, help='paraphrases to questions, at most')
ap.add_argument('--layers', type=int, default=0); ap.add_argument('--seed', type=int, default=0)
ap.add_argument('--save', help='keeps the tuned weights'); ap.add_argument('--soup', nargs='*', default=[], help='weights of several trainings, averaged instead of training')
ap.add_argument('--mix', type=float, nargs='*', default=[1.0]); ap.add_argument('--export', help='of the last share')
args = ap.parse_args(); device = 'cuda'; torch.manual_seed(args.seed); random.seed(args.seed)
tok = relate.Encoder(os.path.join(args.base, 'tokenizer.json')).tok
model = relate.load_base(args.base, 0).bert.to(device); model.config._attn_implementation = 'sdpa'; seen = {}

def read(files):
    return [json.loads(l) for f in files for l in (gzip.open(f, 'rt') if f.endswith('.gz') else open(f)) if l.strip()]

def embed(texts):
    for t in texts:
        if t not in seen: seen[t] = tok.encode(t).ids[:128]
    rows = [seen[t] for t in texts]
    m = max(map(len, rows)); ids = torch.zeros(len(rows), m, dtype=torch.long); mask = ids.clone()
    for j, x in enumerate(rows): ids[j, :len(x)] = torch.tensor(x); mask[j, :len(x)] = 1
    ids, mask = ids.to(device), mask.to(device)
    h = model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
    return F.normalize((h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)

def embed_all(texts):
    model.eval()
    with torch.no_grad(), torch.autocast('cuda', dtype=torch.bfloat16):
        return torch.cat([embed(texts[i:i + 512]).float() for i in range(0, len(texts), 512)])

def evaluate(name):
    for f in args.test:
        rows = read([f]); memories = embed_all([r['memory'] for r in rows])
        queries = [(i, k, q) for i, r in enumerate(rows) for k, q in enumerate(r['answers'])]; others = [(i, q) for i, r in enumerate(rows) for q in r['not']]
        sims = embed_all([q for *_, q in queries]) @ memories.T; own = sims.gather(1, torch.tensor([i for i, *_ in queries], device=device)[:, None])[:, 0]
        rank = (sims > own[:, None]).sum(1)
        far = (embed_all([q for _, q in others]) @ memories.T).gather(1, torch.tensor([i for i, _ in others], device=device)[:, None])[:, 0]
        kinds = [f"{(rank[[n for n, (_, k, _) in enumerate(queries) if k == kind]] < 5).float().mean():.3f}" for kind in range(max(len(r['answers']) for r in rows))]
        hit = own[rank < 5].sort().values; keep = hit[max(0, len(hit) - int(.76 * len(own)))] if len(hit) >= .76 * len(own) else hit[0]
        print(f"{name} {os.path.basename(f)}: R@1 {(rank == 0).float().mean():.3f} R@5 {(rank < 5).float().mean():.3f} by kind {' '.join(kinds)}; answered above not answered {(own[:, None] > far[None]).float().mean():.3f}; not answered shown where 76 % are found: {(far >= keep).float().mean():.3f}", flush=True)
    for f in args.threads:
        recall, count = 0, 0
        for chat in read([f]):
            ids = {t['id']: n for n, t in enumerate(chat['turns'])}; turns = embed_all([t['text'] or ' ' for t in chat['turns']])
            asked = [(q['question'], [ids[e] for e in q['evidence'] if e in ids]) for q in chat['questions']]; asked = [x for x in asked if x[1]]
            if not asked: continue
            top = (embed_all([q for q, _ in asked]) @ turns.T).topk(min(10, len(turns))).indices.cpu().tolist()
            for found, (_, wanted) in zip(top, asked): recall += len(set(found) & set(wanted)) / len(set(wanted)); count += 1
        print(f'{name} {os.path.basename(f)}: R@10 {recall / count:.3f} of {count}', flush=True)
    if groups:
        some = random.Random(1).sample(groups, min(800, len(groups))); a = embed_all([r['a'] for r in some])
        for kind in ('same', 'contra', 'neutral'):
            cosine = (a * embed_all([r[kind][0] if r[kind] else r['a'] for r in some])).sum(-1).sort().values
            print(f"{name} {kind}: cosine 5 % {cosine[len(some) // 20]:.3f} 50 % {cosine[len(some) // 2]:.3f}", end='; ', flush=True)
        print()

groups = read(sorted(glob.glob(args.groups + '/*.jsonl'))) if args.groups else []
evaluate('base'); start = {k: v.clone() for k, v in model.state_dict().items()}
asked = [(q, r['memory'], r['not']) for r in read(args.questions) for q in r['answers']]
alike = [(r['a'], s, []) for r in groups for s in r['same']] + [(r['a'], s, []) for r in groups for s in r['contra'] if random.random() < args.contra]
scale = torch.nn.Parameter(torch.tensor(12., device=device)); zero = torch.nn.Parameter(torch.tensor(.45, device=device))
optimizer = torch.optim.AdamW([{'params': model.parameters(), 'weight_decay': .01}, {'params': [scale, zero], 'lr': 1e-2, 'weight_decay': 0}], lr=args.lr)
steps = args.epochs * (len(asked) // args.bs + int(min(len(alike), args.alike * len(asked))) // args.bs + 2)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, s / (.1 * steps)) * max(.02, (steps - s) / steps)); begun = time.time()
for epoch in range(0 if args.soup else args.epochs):
    random.shuffle(asked); random.shuffle(alike); some = alike[:int(args.alike * len(asked))]; total = 0
    batches = [x[i:i + args.bs] for x in (asked, some) for i in range(0, len(x), args.bs)]; random.shuffle(batches); model.train()
    for b in batches:
        near = [random.choice(x[2]) for x in b if x[2]]; about = [i for i, x in enumerate(b) if x[2]]
        with torch.autocast('cuda', dtype=torch.bfloat16):
            every = embed([x[0] for x in b] + [x[1] for x in b] + near); q, m, n = every[:len(b)], every[len(b):2 * len(b)], every[2 * len(b):]
        cosines = q @ m.T; y = torch.arange(len(b), device=device)
        twin = torch.tensor([[i != j and (b[i][1] == b[j][1] or b[i][0] == b[j][0]) for j in range(len(b))] for i in range(len(b))], device=device)
        scores = (cosines / args.temperature).masked_fill(twin, -1e4)
        loss = F.cross_entropy(scores, y)
        if near:
            wrong = m @ n.T
            loss = loss + F.cross_entropy(torch.cat([scores.T, wrong / args.temperature], 1), y)
            if args.answered:
                right = scale * (cosines.diagonal() - zero); own = scale * (wrong[about, list(range(len(near)))] - zero)
                rest = scale * (cosines[~twin & ~torch.eye(len(b), dtype=torch.bool, device=device)] - zero)
                loss = loss + args.answered * (F.softplus(-right).mean() + F.softplus(own).mean() + .5 * F.softplus(rest).mean())
        else: loss = loss + .5 * F.cross_entropy(scores.T, y)
        optimizer.zero_grad(); loss.backward(); torch.nn.utils.clip_grad_norm_(model.parameters(), 1.); optimizer.step(); schedule.step(); total += loss.item()
    print('epoch', epoch, f'loss {total / len(batches):.3f} zero {zero.item():.2f} scale {scale.item():.1f} {time.time() - begun:.0f}s', flush=True)
tuned = {k: v.clone() for k, v in model.state_dict().items()}
if args.save: torch.save(tuned, args.save)
if args.soup:
    pots = [torch.load(f, map_location=device) for f in args.soup]
    tuned = {k: sum(p[k] for p in pots) / len(pots) if v.is_floating_point() else v for k, v in tuned.items()}
for share in args.mix:
    model.load_state_dict({k: tuned[k] * share + start[k] * (1 - share) if tuned[k].is_floating_point() else tuned[k] for k in tuned}); evaluate(f'tuned, share {share}')
if args.export:
    from onnxruntime.quantization import quantize_dynamic, QuantType
    os.makedirs(args.export, exist_ok=True); full = os.path.join(args.export, 'full.onnx'); small = os.path.join(args.export, 'embed.onnx')
    class Plain(torch.nn.Module):
        def __init__(self): super().__init__(); self.m = model.cpu().float().eval()
        def forward(self, input_ids, attention_mask, token_type_ids): return self.m(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state
    model.config._attn_implementation = 'eager'
    ids = torch.ones(2, 7, dtype=torch.long); names = ['input_ids', 'attention_mask', 'token_type_ids']
    torch.onnx.export(Plain(), (ids, ids, ids * 0), full, input_names=names, output_names=['last_hidden_state'], dynamic_axes={k: {0: 'batch', 1: 'sequence'} for k in [*names, 'last_hidden_state']}, opset_version=17, dynamo=False)
    quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True); os.remove(full); raw = open(small, 'rb').read()
    for i in range(0, len(raw), 15 << 20): open(os.path.join(args.export, f'embed.part{i // (15 << 20)}'), 'wb').write(raw[i:i + (15 << 20)])
