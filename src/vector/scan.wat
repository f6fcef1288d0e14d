;; Scores int8 rows against one i16 query.
;;
;; The layout of the first bytes is shared with chunk-memory.ts:
;;   0     the query, i16, padded with zeros to a multiple of 16 values (at most 4096 of them)
;;   8192  scores of the chunk scanned last, f32, one per row
;;   9216  hits: the row numbers that reached the threshold, i32, ascending
;;
;; The i32 sums cannot overflow: the caller bounds the query values so that
;; 128 * |query value| * dimensions stays below 2^31.
(module
  (memory (import "nokosu" "memory") 1)

  ;; Scores $count rows (rounded up to a multiple of 4; the caller owns the rows behind) and returns the number of hits.
  ;; Four rows go together, one from each quarter of the chunk: that makes four long streams, which the processor
  ;; prefetches well. Four neighbouring rows took 1.6 times as long once the data did not fit the cache.
  ;; An empty row has a NaN scale, so its score is NaN and never reaches the threshold.
  (func (export "scan")
    (param $rows i32) (param $stride i32) (param $count i32) (param $scales i32)
    (param $queryScale f32) (param $threshold f32) (result i32)
    (local $quarter i32) (local $row i32) (local $hits i32) (local $mask i32)
    (local $p0 i32) (local $p1 i32) (local $p2 i32) (local $p3 i32) (local $q i32) (local $end i32)
    (local $qa v128) (local $qb v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $scores v128)
    (local.set $end (i32.shl (local.get $stride) (i32.const 1)))
    (local.set $quarter (i32.shr_u (i32.add (local.get $count) (i32.const 3)) (i32.const 2)))
    (local.set $p0 (local.get $rows))
    (local.set $p1 (i32.add (local.get $p0) (i32.mul (local.get $stride) (local.get $quarter))))
    (local.set $p2 (i32.add (local.get $p1) (i32.mul (local.get $stride) (local.get $quarter))))
    (local.set $p3 (i32.add (local.get $p2) (i32.mul (local.get $stride) (local.get $quarter))))
    (block $summed
      (loop $sum
        (br_if $summed (i32.ge_u (local.get $row) (local.get $quarter)))
        (local.set $a0 (v128.const i32x4 0 0 0 0))
        (local.set $a1 (v128.const i32x4 0 0 0 0))
        (local.set $a2 (v128.const i32x4 0 0 0 0))
        (local.set $a3 (v128.const i32x4 0 0 0 0))
        (local.set $q (i32.const 0))
        (loop $step
          (local.set $qa (v128.load (local.get $q)))
          (local.set $qb (v128.load offset=16 (local.get $q)))
          (local.set $a0 (i32x4.add (local.get $a0)
            (i32x4.dot_i16x8_s (local.get $qa) (v128.load8x8_s (local.get $p0)))))
          (local.set $a1 (i32x4.add (local.get $a1)
            (i32x4.dot_i16x8_s (local.get $qa) (v128.load8x8_s (local.get $p1)))))
          (local.set $a2 (i32x4.add (local.get $a2)
            (i32x4.dot_i16x8_s (local.get $qa) (v128.load8x8_s (local.get $p2)))))
          (local.set $a3 (i32x4.add (local.get $a3)
            (i32x4.dot_i16x8_s (local.get $qa) (v128.load8x8_s (local.get $p3)))))
          (local.set $a0 (i32x4.add (local.get $a0)
            (i32x4.dot_i16x8_s (local.get $qb) (v128.load8x8_s offset=8 (local.get $p0)))))
          (local.set $a1 (i32x4.add (local.get $a1)
            (i32x4.dot_i16x8_s (local.get $qb) (v128.load8x8_s offset=8 (local.get $p1)))))
          (local.set $a2 (i32x4.add (local.get $a2)
            (i32x4.dot_i16x8_s (local.get $qb) (v128.load8x8_s offset=8 (local.get $p2)))))
          (local.set $a3 (i32x4.add (local.get $a3)
            (i32x4.dot_i16x8_s (local.get $qb) (v128.load8x8_s offset=8 (local.get $p3)))))
          (local.set $p0 (i32.add (local.get $p0) (i32.const 16)))
          (local.set $p1 (i32.add (local.get $p1) (i32.const 16)))
          (local.set $p2 (i32.add (local.get $p2) (i32.const 16)))
          (local.set $p3 (i32.add (local.get $p3) (i32.const 16)))
          (br_if $step (i32.lt_u (local.tee $q (i32.add (local.get $q) (i32.const 32))) (local.get $end))))

        ;; Transpose-and-add: four accumulators of four lanes become one vector of four row sums.
        (local.set $a0 (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a0) (local.get $a1))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a0) (local.get $a1))))
        (local.set $a2 (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a2) (local.get $a3))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a2) (local.get $a3))))
        (local.set $a0 (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a0) (local.get $a2))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a0) (local.get $a2))))
        (local.set $q (i32.shl (local.get $row) (i32.const 2)))
        (v128.store32_lane offset=8192 0 (local.get $q) (local.get $a0))
        (local.set $q (i32.add (local.get $q) (i32.shl (local.get $quarter) (i32.const 2))))
        (v128.store32_lane offset=8192 1 (local.get $q) (local.get $a0))
        (local.set $q (i32.add (local.get $q) (i32.shl (local.get $quarter) (i32.const 2))))
        (v128.store32_lane offset=8192 2 (local.get $q) (local.get $a0))
        (local.set $q (i32.add (local.get $q) (i32.shl (local.get $quarter) (i32.const 2))))
        (v128.store32_lane offset=8192 3 (local.get $q) (local.get $a0))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $sum)))

    ;; The sums become scores in place.
    (local.set $row (i32.const 0))
    (block $scored
      (loop $score
        (br_if $scored (i32.ge_u (local.get $row) (local.get $count)))
        (local.set $scores (f32x4.mul
          (f32x4.mul
            (f32x4.convert_i32x4_s (v128.load offset=8192 (i32.shl (local.get $row) (i32.const 2))))
            (v128.load (i32.add (local.get $scales) (i32.shl (local.get $row) (i32.const 2)))))
          (f32x4.splat (local.get $queryScale))))
        (v128.store offset=8192 (i32.shl (local.get $row) (i32.const 2)) (local.get $scores))

        ;; Equal counts as reached: the caller breaks ties by key. Every row number is stored, and only a hit moves the end.
        (if (local.tee $mask (i32x4.bitmask (f32x4.ge (local.get $scores) (f32x4.splat (local.get $threshold)))))
          (then
            (i32.store offset=9216 (i32.shl (local.get $hits) (i32.const 2)) (local.get $row))
            (local.set $hits (i32.add (local.get $hits) (i32.and (local.get $mask) (i32.const 1))))
            (i32.store offset=9216 (i32.shl (local.get $hits) (i32.const 2))
              (i32.add (local.get $row) (i32.const 1)))
            (local.set $hits (i32.add (local.get $hits)
              (i32.and (i32.shr_u (local.get $mask) (i32.const 1)) (i32.const 1))))
            (i32.store offset=9216 (i32.shl (local.get $hits) (i32.const 2))
              (i32.add (local.get $row) (i32.const 2)))
            (local.set $hits (i32.add (local.get $hits)
              (i32.and (i32.shr_u (local.get $mask) (i32.const 2)) (i32.const 1))))
            (i32.store offset=9216 (i32.shl (local.get $hits) (i32.const 2))
              (i32.add (local.get $row) (i32.const 3)))
            (local.set $hits (i32.add (local.get $hits) (i32.shr_u (local.get $mask) (i32.const 3))))))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (br $score)))
    (local.get $hits))

  ;; One row, with the same arithmetic as a scan, so that both give the same score to the last bit.
  (func (export "score") (param $row i32) (param $stride i32) (param $scale f32) (param $queryScale f32) (result f32)
    (local $q i32) (local $end i32) (local $a v128)
    (local.set $end (i32.shl (local.get $stride) (i32.const 1)))
    (loop $step
      (local.set $a (i32x4.add (local.get $a)
        (i32x4.dot_i16x8_s (v128.load (local.get $q)) (v128.load8x8_s (local.get $row)))))
      (local.set $row (i32.add (local.get $row) (i32.const 8)))
      (br_if $step (i32.lt_u (local.tee $q (i32.add (local.get $q) (i32.const 16))) (local.get $end))))
    (f32.mul
      (f32.mul
        (f32.convert_i32_s
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
            (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))
        (local.get $scale))
      (local.get $queryScale))))
