;; Reads a canonical head, 16 bytes a step: the same rules as scanWindow in fast-head.ts, which says what each of them
;; is for. What this program does not take, that function reads again, so 0 here says nothing about the head. The
;; grammar is in start-line.ts, target.ts, field-section.ts, head.ts, framing.ts and connection-fields.ts.
;;
;; Memory, laid out by head-program.ts: from 0 on the tables of character classes, at 128 what was found (flags,
;; Content-Length, number of marks), at 256 the marks, at 2048 the bytes with a NUL after them, which ends every loop.
;;
;; A class is a table of 16 octets: bit h of octet l says whether the octet 0xhl belongs to it.
(module
  (memory (export "memory") 1)

  ;; The first byte from $at on that is not in the class whose table is at $class.
  (func $span (param $at i32) (param $class i32) (result i32)
    (local $octets v128) (local $others i32)
    (loop $next
      (local.set $octets (v128.load (local.get $at)))
      (local.set $others
        (i8x16.bitmask
          (i8x16.eq
            (v128.and
              (i8x16.swizzle (v128.load (local.get $class)) (v128.and (local.get $octets) (i8x16.splat (i32.const 15))))
              (i8x16.swizzle (v128.const i8x16 1 2 4 8 16 32 64 128 0 0 0 0 0 0 0 0)
                (i8x16.shr_u (local.get $octets) (i32.const 4))))
            (v128.const i64x2 0 0))))
      (if (i32.eqz (local.get $others))
        (then (local.set $at (i32.add (local.get $at) (i32.const 16))) (br $next))))
    (i32.add (local.get $at) (i32.ctz (local.get $others))))

  ;; The first byte from $at on that is not field-vchar, obs-text, SP or HTAB.
  (func $value_end (param $at i32) (result i32)
    (local $octets v128) (local $others i32)
    (loop $next
      (local.set $octets (v128.load (local.get $at)))
      (local.set $others
        (i8x16.bitmask
          (v128.or
            (v128.and
              (i8x16.lt_u (local.get $octets) (i8x16.splat (i32.const 0x20)))
              (i8x16.ne (local.get $octets) (i8x16.splat (i32.const 0x09))))
            (i8x16.eq (local.get $octets) (i8x16.splat (i32.const 0x7f))))))
      (if (i32.eqz (local.get $others))
        (then (local.set $at (i32.add (local.get $at) (i32.const 16))) (br $next))))
    (i32.add (local.get $at) (i32.ctz (local.get $others))))

  (func $is_digit (param $at i32) (result i32)
    (i32.lt_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30)) (i32.const 10)))

  (func $is_hexdig (param $at i32) (result i32)
    (i32.or
      (call $is_digit (local.get $at))
      (i32.lt_u (i32.sub (i32.or (i32.load8_u (local.get $at)) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; Eight, four or two bytes with the letters among them in lower case.
  (func $lower8 (param $at i32) (result i64)
    (i64.or (i64.load (local.get $at)) (i64.const 0x2020202020202020)))
  (func $lower4 (param $at i32) (result i32)
    (i32.or (i32.load (local.get $at)) (i32.const 0x20202020)))
  (func $lower2 (param $at i32) (result i32)
    (i32.or (i32.load16_u (local.get $at)) (i32.const 0x2020)))

  ;; The flag of HTTP/1.1 (0) or HTTP/1.0 (16), or -1.
  (func $version (param $at i32) (result i32)
    (if (i64.eq (i64.load (local.get $at)) (i64.const 0x312e312f50545448)) (then (return (i32.const 0))))
    (if (i64.eq (i64.load (local.get $at)) (i64.const 0x302e312f50545448)) (then (return (i32.const 16))))
    (i32.const -1))

  ;; After the target and its SP, or 0. $path and $query: tables of what they are made of.
  (func $target_end (param $at i32) (param $path i32) (param $query i32) (result i32)
    (local $octet i32)
    (loop $next
      (local.set $at (call $span (local.get $at) (local.get $path)))
      (local.set $octet (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $octet) (i32.const 0x20)) (then (return (i32.add (local.get $at) (i32.const 1)))))
      (if (i32.eq (local.get $octet) (i32.const 0x3f))
        (then
          (local.set $path (local.get $query))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))
      (if (i32.ne (local.get $octet) (i32.const 0x25)) (then (return (i32.const 0))))
      (if (i32.eqz (call $is_hexdig (i32.add (local.get $at) (i32.const 1)))) (then (return (i32.const 0))))
      (if (i32.eqz (call $is_hexdig (i32.add (local.get $at) (i32.const 2)))) (then (return (i32.const 0))))
      (local.set $at (i32.add (local.get $at) (i32.const 3)))
      (br $next))
    (unreachable))

  ;; The flag of Host (32), or -1. The value begins at $at, its line ends at $end.
  (func $host (param $at i32) (param $end i32) (param $class i32) (result i32)
    (local $name_end i32)
    (local.set $name_end (call $span (local.get $at) (local.get $class)))
    (if (i32.eq (local.get $name_end) (local.get $at)) (then (return (i32.const -1))))
    (if (i32.eq (local.get $name_end) (local.get $end)) (then (return (i32.const 32))))
    (if (i32.ne (i32.load8_u (local.get $name_end)) (i32.const 0x3a)) (then (return (i32.const -1))))
    (if (i32.gt_u (i32.sub (local.get $end) (local.get $name_end)) (i32.const 5)) (then (return (i32.const -1))))
    (loop $next
      (local.set $name_end (i32.add (local.get $name_end) (i32.const 1)))
      (br_if $next (call $is_digit (local.get $name_end))))
    (select (i32.const 32) (i32.const -1) (i32.eq (local.get $name_end) (local.get $end))))

  ;; The flag of `close` (4) or `keep-alive` (8), or -1.
  (func $connection (param $at i32) (param $end i32) (result i32)
    (local $length i32)
    (local.set $length (i32.sub (local.get $end) (local.get $at)))
    (if (i32.eq (local.get $length) (i32.const 10))
      (then
        (if (i64.eq (call $lower8 (local.get $at)) (i64.const 0x696c612d7065656b))
          (then
            (if (i32.eq (call $lower2 (i32.add (local.get $at) (i32.const 8))) (i32.const 0x6576))
              (then (return (i32.const 8))))))))
    (if (i32.eq (local.get $length) (i32.const 5))
      (then
        (if (i32.eq (call $lower4 (local.get $at)) (i32.const 0x736f6c63))
          (then
            (if (i32.eq (call $lower4 (i32.add (local.get $at) (i32.const 1))) (i32.const 0x65736f6c))
              (then (return (i32.const 4))))))))
    (i32.const -1))

  ;; The flag of `chunked` (1), or -1.
  (func $encoding (param $at i32) (param $end i32) (result i32)
    (if (i32.eq (i32.sub (local.get $end) (local.get $at)) (i32.const 7))
      (then
        (if (i32.eq (call $lower4 (local.get $at)) (i32.const 0x6e756863))
          (then
            (if (i32.eq (call $lower4 (i32.add (local.get $at) (i32.const 3))) (i32.const 0x64656b6e))
              (then (return (i32.const 1))))))))
    (i32.const -1))

  ;; 1 to 9 digits as a number, or -1.
  (func $length (param $at i32) (param $end i32) (result i32)
    (local $number i32)
    (if (i32.gt_u (i32.sub (i32.sub (local.get $end) (local.get $at)) (i32.const 1)) (i32.const 8))
      (then (return (i32.const -1))))
    (loop $next
      (if (i32.eqz (call $is_digit (local.get $at))) (then (return (i32.const -1))))
      (local.set $number
        (i32.add
          (i32.mul (local.get $number) (i32.const 10))
          (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (local.get $number))

  ;; Bytes of the head that begins at $start, or 0. $query: table for the query; $max_marks: how many marks there may be.
  (func (export "scan")
    (param $start i32) (param $is_request i32) (param $query i32) (param $max_marks i32) (result i32)
    (local $at i32) (local $flags i32) (local $flag i32) (local $marks i32) (local $last_mark i32)
    (local $name i32) (local $colon i32) (local $value i32) (local $length i32) (local $normal i32)
    (local.set $normal (i32.const 0x20000000))
    (local.set $marks (i32.const 256))
    (local.set $last_mark (i32.add (i32.const 256) (i32.shl (local.get $max_marks) (i32.const 2))))
    (if (local.get $is_request)
      (then
        (local.set $at (call $span (local.get $start) (i32.const 0)))
        (if (i32.eq (local.get $at) (local.get $start)) (then (return (i32.const 0))))
        ;; CONNECT has another form of target; other methods of its beginning and length are for the other function.
        (if (i32.eq (i32.sub (local.get $at) (local.get $start)) (i32.const 7))
          (then (if (i32.eq (i32.load (local.get $start)) (i32.const 0x4e4e4f43)) (then (return (i32.const 0))))))
        (if (i32.ne (i32.load16_u (local.get $at)) (i32.const 0x2f20)) (then (return (i32.const 0))))
        (local.set $name (i32.shl (i32.sub (local.get $at) (local.get $start)) (i32.const 15)))
        (local.set $at (call $target_end (i32.add (local.get $at) (i32.const 2)) (i32.const 16) (local.get $query)))
        (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
        (local.set $flags (call $version (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 8))))
      (else
        (local.set $flags (call $version (local.get $start)))
        (if (i32.ne (i32.load8_u offset=8 (local.get $start)) (i32.const 0x20)) (then (return (i32.const 0))))
        (if (i32.lt_u (i32.load8_u offset=9 (local.get $start)) (i32.const 0x32)) (then (return (i32.const 0))))
        (if (i32.eqz (call $is_digit (i32.add (local.get $start) (i32.const 9)))) (then (return (i32.const 0))))
        (if (i32.eqz (call $is_digit (i32.add (local.get $start) (i32.const 10)))) (then (return (i32.const 0))))
        (if (i32.eqz (call $is_digit (i32.add (local.get $start) (i32.const 11)))) (then (return (i32.const 0))))
        (if (i32.ne (i32.load8_u offset=12 (local.get $start)) (i32.const 0x20)) (then (return (i32.const 0))))
        (local.set $at (call $value_end (i32.add (local.get $start) (i32.const 13))))))
    (if (i32.lt_s (local.get $flags) (i32.const 0)) (then (return (i32.const 0))))
    (if (i32.ne (i32.load16_u (local.get $at)) (i32.const 0x0a0d)) (then (return (i32.const 0))))
    (i32.store (local.get $marks) (i32.or (local.get $name) (i32.sub (local.get $at) (local.get $start))))

    (block $end
      (loop $next
        (local.set $marks (i32.add (local.get $marks) (i32.const 4)))
        (local.set $name (i32.add (local.get $at) (i32.const 2)))
        (br_if $end (i32.eq (i32.load16_u (local.get $name)) (i32.const 0x0a0d)))
        (local.set $colon (call $span (local.get $name) (i32.const 0)))
        (if (i32.eq (local.get $colon) (local.get $name)) (then (return (i32.const 0))))
        (if (i32.ne (i32.load8_u (local.get $colon)) (i32.const 0x3a)) (then (return (i32.const 0))))
        (local.set $at (call $value_end (i32.add (local.get $colon) (i32.const 1))))
        (if (i32.ne (i32.load16_u (local.get $at)) (i32.const 0x0a0d)) (then (return (i32.const 0))))
        (if (i32.ge_u (local.get $marks) (local.get $last_mark)) (then (return (i32.const 0))))
        (i32.store (local.get $marks)
          (i32.or
            (i32.shl (i32.sub (local.get $colon) (local.get $start)) (i32.const 15))
            (i32.sub (local.get $at) (local.get $start))))

        ;; Normal is one SP, and a value without SP or HTAB at its ends.
        (if (i32.or
              (i32.ne (i32.load8_u offset=1 (local.get $colon)) (i32.const 0x20))
              (i32.or
                (i32.le_u (i32.load8_u offset=2 (local.get $colon)) (i32.const 0x20))
                (i32.le_u (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 0x20))))
          (then (local.set $normal (i32.const 0))))

        ;; Fields that say something about the message, by the length of their names.
        (local.set $value (i32.add (local.get $colon) (i32.const 1)))
        (local.set $value (i32.add (local.get $value) (i32.eq (i32.load8_u (local.get $value)) (i32.const 0x20))))
        (local.set $flag (i32.const 0))
        (block $other
          (block $seventeen
            (block $fourteen
              (block $ten
                (block $four
                  (br_table $other $other $other $other $four $other $other $other $other $other $ten $other $other
                    $other $fourteen $other $other $seventeen $other
                    (i32.sub (local.get $colon) (local.get $name))))
                (br_if $other (i32.eqz (local.get $is_request)))
                (br_if $other (i32.ne (call $lower4 (local.get $name)) (i32.const 0x74736f68)))
                (if (i32.and (local.get $flags) (i32.const 32)) (then (return (i32.const 0))))
                (local.set $flag (call $host (local.get $value) (local.get $at) (i32.const 32)))
                (br $other))
              (br_if $other (i64.ne (call $lower8 (local.get $name)) (i64.const 0x697463656e6e6f63)))
              (br_if $other (i32.ne (call $lower2 (i32.add (local.get $name) (i32.const 8))) (i32.const 0x6e6f)))
              (local.set $flag (call $connection (local.get $value) (local.get $at)))
              (br $other))
            (br_if $other (i64.ne (call $lower8 (local.get $name)) (i64.const 0x2d746e65746e6f63)))
            (br_if $other (i64.ne (call $lower8 (i32.add (local.get $name) (i32.const 6))) (i64.const 0x6874676e656c2d74)))
            (if (i32.and (local.get $flags) (i32.const 3)) (then (return (i32.const 0))))
            (local.set $length (call $length (local.get $value) (local.get $at)))
            (local.set $flag (select (i32.const 2) (i32.const -1) (i32.ge_s (local.get $length) (i32.const 0))))
            (br $other))
          (br_if $other (i64.ne (call $lower8 (local.get $name)) (i64.const 0x726566736e617274)))
          (br_if $other (i64.ne (call $lower8 (i32.add (local.get $name) (i32.const 8))) (i64.const 0x6e69646f636e652d)))
          (br_if $other (i32.ne (call $lower2 (i32.add (local.get $name) (i32.const 15))) (i32.const 0x676e)))
          (if (i32.and (local.get $flags) (i32.const 3)) (then (return (i32.const 0))))
          (local.set $flag (call $encoding (local.get $value) (local.get $at))))
        (if (i32.lt_s (local.get $flag) (i32.const 0)) (then (return (i32.const 0))))
        (local.set $flags (i32.or (local.get $flags) (local.get $flag)))
        (br $next)))

    ;; A request needs Host, and HTTP/1.0 (16) knows no Transfer-Encoding (1).
    (if (i32.and (local.get $is_request) (i32.eqz (i32.and (local.get $flags) (i32.const 32))))
      (then (return (i32.const 0))))
    (if (i32.eq (i32.and (local.get $flags) (i32.const 17)) (i32.const 17)) (then (return (i32.const 0))))
    (i32.store (i32.const 256) (i32.or (i32.load (i32.const 256)) (local.get $normal)))
    (i32.store offset=128 (i32.const 0) (local.get $flags))
    (i32.store offset=132 (i32.const 0) (local.get $length))
    (i32.store offset=136 (i32.const 0) (i32.shr_u (i32.sub (local.get $marks) (i32.const 256)) (i32.const 2)))
    (i32.sub (i32.add (local.get $at) (i32.const 4)) (local.get $start))))
