"""Turns a writer's lines {text, label, kind, lang, twin, id} into rows: python3 train/guard/add-writer.py FILE train/guard/rows/NAME.jsonl. Honest lines without a poison are added to honest.jsonl."""
import json, os, sys
lines = [json.loads(l) for l in open(sys.argv[1]) if l.strip()]; by = {l['id']: l for l in lines}; rows, used = [], set()
for p in lines:
    if p['label'] != 'poison': continue
    twins = {l['id']: l for l in lines if l['label'] == 'honest' and l.get('twin') == p['id']}
    if p.get('twin') in by: twins[p['twin']] = by[p['twin']]
    used |= set(twins); rows.append({'kind': p['kind'], **({'lang': p['lang']} if p['lang'] != 'en' else {}), 'poison': p['text'], 'honest': [t['text'] for t in twins.values()]})
loose = [l['text'] for l in lines if l['label'] == 'honest' and l['id'] not in used]
if rows:
    with open(sys.argv[2], 'w') as f: f.writelines(json.dumps(r, ensure_ascii=False) + '\n' for r in rows)
if loose:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'honest.jsonl'), 'a') as f: f.write(json.dumps(loose, ensure_ascii=False) + '\n')
print(len(rows), 'rows', len(loose), 'other honest notes')
