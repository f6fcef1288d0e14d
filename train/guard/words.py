"""Weights of words and of two words in a row, for `models/guard/words.bin`: python3 train/guard/words.py DATA words.bin (DATA is what collect.py makes). Any processor, a minute.

Poisons against their twins and, twice as heavy, ordinary notes. Put what it prints into src/guard/word-score.ts.
"""
import json, os, re, sys, zlib
import numpy as np, torch
PLACES = 1 << 14; data, target = sys.argv[1:3]; read = lambda f: [json.loads(l) for l in open(os.path.join(data, f))]

def features(text):
    w = ['0' if x.isdigit() else x for x in re.findall(r'[^\W\d_]+|\d+|[^\w\s]', text.lower())]
    return torch.tensor(sorted({zlib.crc32(x.encode()) % PLACES for x in [*w, *(f'{a} {b}' for a, b in zip(w, w[1:]))]}))

pairs = read('pairs.jsonl'); poisons = [r['poison'] for r in pairs]; twins = [h for r in pairs for h in r['honest']]
ordinary = [r['text'] for r in read('honest.jsonl')]
torch.manual_seed(0); ids = [features(t) for t in poisons + twins + ordinary]; n = len(ids)
y = torch.tensor([1.] * len(poisons) + [0.] * (n - len(poisons))); weight = torch.tensor([1.] * len(poisons) + [.4] * len(twins) + [2.] * len(ordinary))
table = torch.nn.EmbeddingBag(PLACES, 1, mode='sum'); torch.nn.init.zeros_(table.weight); bias = torch.zeros(1, requires_grad=True)
opt = torch.optim.AdamW([{'params': table.parameters(), 'weight_decay': .3}, {'params': [bias], 'weight_decay': 0}], lr=.01)
for epoch in range(10):
    for batch in torch.randperm(n).split(256):
        own = [ids[i] for i in batch]; sizes = torch.tensor([len(a) for a in own])
        z = table(torch.cat(own), torch.cat([torch.zeros(1, dtype=torch.long), sizes.cumsum(0)[:-1]]))[:, 0] / sizes.float().sqrt() * 2 + bias
        loss = (torch.nn.functional.binary_cross_entropy_with_logits(z, y[batch], reduction='none') * weight[batch]).mean(); opt.zero_grad(); loss.backward(); opt.step()
w = table.weight.detach().numpy()[:, 0]; step = float(np.abs(w).max()) / 127
np.round(w / step).astype(np.int8).tofile(target); print('STEP', step, 'BIAS', float(bias.detach()[0]))
