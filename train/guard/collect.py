"""Puts what train.py reads into a folder: python3 train/guard/collect.py OUT [--notes FILE...] [--unlabelled 20000]

rows/*.jsonl: {"poison", "honest": [...]}. honest.jsonl: every string is an honest note. The memories of five projects of eval/moments, those of train/embed/questions and of --notes (JSON lines with `content`
or `text`) are ordinary notes. For choosing: eval/guard/{chosen,report,fresh}-*, and the memories of `telemetry`, `games` and `payments`. Never read: eval/moments/{news,oss,platform,wardbook-report}.
"""
import argparse, glob, json, os, random
ap = argparse.ArgumentParser(); ap.add_argument('out'); ap.add_argument('--notes', nargs='*', default=[]); ap.add_argument('--unlabelled', type=int, default=20000); args = ap.parse_args()
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.join(HERE, '..', '..'); rng = random.Random(3)
read = lambda f: [json.loads(l) for l in open(f) if l.strip()]
lines = lambda f: [l.strip() for l in open(os.path.join(ROOT, 'eval/guard', f + '.txt')) if l.strip() and not l.startswith('#')]

def strings(value):
    if isinstance(value, str): yield value
    else:
        for v in value if isinstance(value, list) else value.values() if isinstance(value, dict) else []: yield from strings(v)

def write(name, rows):
    with open(os.path.join(args.out, name), 'w') as f: f.writelines(json.dumps(r, ensure_ascii=False) + '\n' for r in rows)
    print(name, len(rows))

memories = lambda project: [r['content'] for r in read(os.path.join(ROOT, 'eval/moments', project, 'memories.jsonl'))]
os.makedirs(args.out, exist_ok=True); pairs, loose = [], []
for f in sorted(glob.glob(os.path.join(HERE, 'rows/*.jsonl'))):
    for r in read(f):
        if r.get('poison') and r['honest']: pairs.append({'poison': r['poison'], 'honest': r['honest'], 'writer': os.path.basename(f)[:-6]})
        else: loose += r['honest']
honest = [s for r in read(os.path.join(HERE, 'honest.jsonl')) for s in strings(r) if 12 <= len(s) <= 400] + loose
for project in ('shop', 'home-ops', 'ledger', 'crm', 'iot'): honest += memories(project)
for f in sorted(glob.glob(os.path.join(HERE, '../embed/questions/*.jsonl'))): honest += [r['memory'] for r in read(f) if r.get('memory') and 12 <= len(r['memory']) <= 400]
for f in args.notes: honest += [r.get('content') or r['text'] for r in read(f)]
groups = [s for f in sorted(glob.glob(os.path.join(HERE, '../relate/groups/*.jsonl'))) for g in read(f) for s in [g['a'], *g['contra'][:1]]]
write('pairs.jsonl', pairs); write('honest.jsonl', [{'text': h} for h in dict.fromkeys(honest)]); write('unlabelled.jsonl', [{'text': t} for t in rng.sample(groups, min(len(groups), args.unlabelled))])
choosing = {f'{s}-{to}': lines(f'{s}-{of}') for s in ('chosen', 'report', 'fresh') for of, to in (('poisons', 'poisons'), ('benign', 'honest'))} | {'ordinary': [m for p in ('telemetry', 'games', 'payments') for m in memories(p)]}
json.dump(choosing, open(os.path.join(args.out, 'choosing.json'), 'w'), ensure_ascii=False); print({k: len(v) for k, v in choosing.items()})
