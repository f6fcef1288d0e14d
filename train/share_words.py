"""Takes the table of words out of relate.onnx and guard.onnx, which both come from gte-small, into one that they share.

  python3 train/share_words.py RELATE.onnx GUARD.onnx models [--own 2048] [--texts FILE... | --counts FILE]

Both models then read `word_vectors` (float, [rows, tokens, 384]) in place of `input_ids`; src/embedding/word-vectors.ts looks them up. The
shared table is the relation model's, rounded to one step. Training moved a word's row by up to a fifth of its length, and
the rows that the guard's training moved most, weighed by how often --texts (one text a line) have them, are kept beside it:
models/guard/own-vectors.bin. Needs `onnx numpy tokenizers`. Run it after train/optimise.mjs.
"""
import argparse, json, os
from collections import Counter
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper

ap = argparse.ArgumentParser(); ap.add_argument('relate'); ap.add_argument('guard'); ap.add_argument('out'); ap.add_argument('--own', type=int, default=2048); ap.add_argument('--texts', nargs='*', default=[]); ap.add_argument('--counts', help='JSON: how often the texts have each piece, where there is no tokenizers'); args = ap.parse_args()
# Coarser than the guard's by this: a third less to fetch, and neither model minds.
COARSER = 1.6
ZERO = 44


def table(model):
    t = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    if 'words' in t: return t['words'].astype(np.float32) * t['words_step'], None
    name = next(k for k in t if k.endswith('word_embeddings.weight_quantized'))[:-len('_quantized')]
    step = np.float32(t[name + '_scale']); return (t[name + '_quantized'].astype(np.float32) - np.float32(t[name + '_zero_point'])) * step, step


def without(model, path, longest):
    """Everything before the sum with the kinds of tokens goes; of `input_ids` only the shape was used elsewhere. So do positions that no input reaches."""
    for i in model.graph.initializer:
        if i.name.endswith('position_embeddings.weight'): i.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(i)[:longest].copy(), i.name))
    g = model.graph; words = next(n.input[0] for n in g.node if n.output[0] == '/m/bert/embeddings/Add_output_0'); gone = {words}; drop = []
    while more := [n for n in g.node if n.output[0] in gone and not any(n is d for d in drop)]:
        for n in more: drop.append(n); gone |= {i for i in n.input if i != 'input_ids'}
    for n in drop: g.node.remove(n)
    for t in [t for t in g.initializer if t.name in gone]: g.initializer.remove(t)
    for v in [v for v in g.value_info if v.name in gone]: g.value_info.remove(v)
    for n in g.node:
        for k, i in enumerate(n.input): n.input[k] = {words: 'word_vectors', 'input_ids': 'attention_mask'}.get(i, i)
    g.input.remove(next(i for i in g.input if i.name == 'input_ids'))
    g.input.insert(0, helper.make_tensor_value_info('word_vectors', TensorProto.FLOAT, ['batch', 'sequence', 384]))
    onnx.save(model, path)


relate, guard = onnx.load(args.relate), onnx.load(args.guard); (theirs, _), (own, step) = table(relate), table(guard)
step = np.float32(COARSER) * (step or (own.max() - own.min()) / np.float32(255))
whole = lambda rows: np.clip(np.round(rows / step) + ZERO, 0, 255).astype(np.uint8)
seen = Counter()
if args.texts:
    from tokenizers import Tokenizer
    tok = Tokenizer.from_file(os.path.join(args.out, 'shared/tokenizer.json'))
    for path in args.texts:
        for line in open(path): seen.update(tok.encode(line.strip()).ids)
elif args.counts: seen.update({int(k): n for k, n in json.load(open(args.counts)).items()})
often = np.array([seen[i] for i in range(len(own))]) + .2; moved = np.linalg.norm(own - theirs, axis=1)
most = np.sort(np.argsort(-often * moved ** 2)[:args.own])
# Pieces that no text has: [unused0] and the like.
theirs[1:100] = theirs[104:999] = 0
with open(os.path.join(args.out, 'shared/vectors.bin'), 'wb') as f: f.write(np.float32(step).tobytes() + whole(theirs).tobytes())
with open(os.path.join(args.out, 'guard/own-vectors.bin'), 'wb') as f: f.write(np.uint16(len(most)).tobytes() + most.astype(np.uint16).tobytes() + whole(own[most]).tobytes())
without(relate, os.path.join(args.out, 'relate/relate.onnx'), 256); without(guard, os.path.join(args.out, 'guard/guard.onnx'), 128)
