import { describe, expect, it } from 'vitest'
import { alikeQuantities } from './quantities.ts'

describe('one way to write it', () => {
  it.each([
    // Time units.
    ['250 ms', '0.25s'],
    ['2 seconds', '2s'],
    ['3 mins', '180s'],
    ['1.5 hours', '5400s'],
    ['2 days', '172800s'],
    ['2d', '172800s'],
    ['1 week', '604800s'],
    ['5 months', '5mo'],
    ['2 yrs', '24mo'],
    ['a week', '604800s'],
    ['an hour', '3600s'],
    ['half an hour', '1800s'],
    ['sixty-minute', '3600s'],
    ['1 Hour 30 Minutes', '5400s'],
    ['2 MIN 5 SEC', '125s'],
    ['Noon', '12:00'],
    ['9 PM', '21:00'],
    // Sizes: a factor of 1000, unless 1024 is written or meant.
    ['3 bytes', '3b'],
    ['3 kilobytes', '3000b'],
    ['3 MB', '3000000b'],
    ['2 gigs', '2000000000b'],
    ['1 TB', '1000000000000b'],
    ['1 KiB', '1024b'],
    ['1 MiB', '1048576b'],
    ['1 GiB', '1073741824b'],
    ['1024 KB', '1000000b'],
    ['1536 MB', '1500000000b'],
    ['1000 KB', '1000000b'],
    ['896 KB', '896000b'],
    ['1100 KB', '1100000b'],
    ['100 Mb', '100000000bit'],
    ['100 mb', '100000000b'],
    ['5 percent', '5%'],
    ['5 pct', '5%'],
    ['half of them', '50% of them'],
    ['half the disk', '50% the disk'],
    // Numbers.
    ['zero', '0'],
    ['nineteen', '19'],
    ['twenty', '20'],
    ['ninety', '90'],
    ['twenty-one', '21'],
    ['ninety-nine', '99'],
    ['two hundred', '200'],
    ['three thousand', '3000'],
    ['a million', '1000000'],
    ['2 billion', '2000000000'],
    ['1.5 million', '1500000'],
    ['10,000', '10000'],
    ['10_000', '10000'],
    ['10k', '10000'],
    ['2 million bytes', '2000000b'],
    // Times of day.
    ['9 pm', '21:00'],
    ['9:30 a.m.', '09:30'],
    ['12 am', '00:00'],
    ['12 pm', '12:00'],
    ['noon', '12:00'],
    ['Midnight', '00:00'],
    ['7:05', '07:05'],
    // Two units, the second one smaller.
    ['1d 2h', '93600s'],
    ['1 h 30 min', '5400s'],
    ['2 hours and 5 minutes', '7500s'],
    ['1m30s', '90s'],
    ['every year', 'every 12mo'],
    ['each day', 'each 86400s'],
  ])('%s: %s', (written, alike) => expect(alikeQuantities(written)).toBe(alike))
})

it.each([
  // Versions, addresses, paths, ports, issues and options, and words that only start like a unit.
  ...[...'v1.2 3.10 10.0.0.1 #5 /2 :80 +3 x5 0755'.split(' '), '5 d', '5 m', '5 k', '5M', '1,00', '5%x', '5 minx'],
  ...['13 pm', '0:60', '10:00:00', 'a cat', 'half done', 'everyone', 'tenfold'],
])('stays as it is: %s', (text) => expect(alikeQuantities(text)).toBe(text))
