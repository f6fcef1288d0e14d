"""train.py with the tokens prepared once and kept on the GPU, batches of like length: the same training, several times as fast."""
import sys, os, random, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np, torch
from torch.nn import functional as F
import train as T

class Store:
    """Both orders of every pair, tokenized once."""
    def __init__(self, enc, rows, device):
        both = [(a, b) for a, b, *_ in rows] + [(b, a) for a, b, *_ in rows]
        e = enc.tok.encode_batch(both)
        self.n = len(rows); self.len = np.array([len(x.ids) for x in e]); m = int(self.len.max())
        ids = np.zeros((len(e), m), np.int32); tt = np.zeros((len(e), m), np.int8)
        for i, x in enumerate(e):
            ids[i, :len(x.ids)] = x.ids; tt[i, :len(x.ids)] = x.type_ids
        self.ids = torch.tensor(ids, device=device); self.tt = torch.tensor(tt, device=device); self.device = device
        self.lens = torch.tensor(self.len, device=device)
    def batch(self, idx):
        m = int(self.len[idx].max()); t = torch.as_tensor(idx, device=self.device)
        am = (torch.arange(m, device=self.device)[None] < self.lens[t][:, None]).long()
        return dict(input_ids=self.ids[t, :m].long(), token_type_ids=self.tt[t, :m].long(), attention_mask=am)

def train(base, enc, data, args, seed, device):
    torch.manual_seed(seed); random.seed(seed); rng = np.random.default_rng(seed)
    model = T.load_base(base, args.layers).to(device)
    model.config._attn_implementation = 'sdpa'
    no = ['bias', 'LayerNorm']
    groups = [{'params': [p for n, p in model.named_parameters() if not any(x in n for x in no)], 'weight_decay': .01},
              {'params': [p for n, p in model.named_parameters() if any(x in n for x in no)], 'weight_decay': 0}]
    opt = torch.optim.AdamW(groups, lr=args.lr, fused=True)
    soft = not isinstance(data[0][2], int)
    hard = [int(np.argmax(l)) if soft else l for *_, l in data]
    weight = torch.tensor(len(data) / 3 / np.bincount(hard, minlength=3), dtype=torch.float, device=device)
    y = torch.tensor(np.array([l for *_, l in data]), device=device)
    if soft: y = y.float()
    t = time.time(); st = Store(enc, data, device); n = st.n
    steps = args.epochs * (n // args.bs + 1); print('  tokenized', n, f'{time.time()-t:.0f}s', flush=True)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, s / (.06 * steps)) * max(0, (steps - s) / steps))
    for ep in range(args.epochs):
        model.train(); tot = 0.
        flip = rng.integers(0, 2, n) * n; order = rng.permutation(n)
        # like lengths together, in chunks of fifty batches, so that little is padding
        batches = []
        for c in range(0, n, args.bs * 50):
            part = order[c:c + args.bs * 50]; part = part[np.argsort(st.len[part + flip[part]], kind='stable')]
            batches += [part[i:i + args.bs] for i in range(0, len(part), args.bs)]
        rng.shuffle(batches) if False else random.shuffle(batches)
        for b in batches:
            with torch.autocast('cuda', dtype=torch.bfloat16):
                loss = F.cross_entropy(model(**st.batch(b + flip[b])).logits.float(), y[torch.as_tensor(b, device=device)], label_smoothing=0 if soft else .05, weight=weight)
            opt.zero_grad(set_to_none=True); loss.backward(); torch.nn.utils.clip_grad_norm_(model.parameters(), 1.); opt.step(); sched.step(); tot += loss.detach() * len(b)
        print(f'  seed {seed} epoch {ep} loss {float(tot)/n:.4f} {time.time()-t:.0f}s', flush=True)
    return model

def probs(models, enc, rows, device):
    st = Store(enc, rows, device); n = st.n; out = torch.zeros(n, 3, device=device)
    order = np.argsort(st.len[:n], kind='stable')
    with torch.no_grad(), torch.autocast('cuda', dtype=torch.bfloat16):
        for m in models:
            m.eval()
            for i in range(0, n, 512):
                b = order[i:i + 512]; t = torch.as_tensor(b, device=device)
                for half in (0, n): out[t] += m(**st.batch(b + half)).logits.float().softmax(-1)
    return (out / (2 * len(models))).cpu().numpy()

plain_export = T.export
def export(model, *rest):
    model.config._attn_implementation = 'eager'; return plain_export(model, *rest)

T.train, T.probs, T.export = train, probs, export
if __name__ == '__main__': T.main()
