import { newTotpSecret, totpStepOf } from '../../accounts/factors/totp.js';

/** The test secret of RFC 6238, appendix B ("12345678901234567890"), in base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => new Date(seconds * 1000);

/** Appendix B: SHA-1, eight digits, of which six are the last. */
const VECTORS = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const;

test.each(VECTORS)('at %d s the code of RFC 6238 is right, in its step and the two beside it', (seconds, eight) => {
  const code = eight.slice(-6);
  const step = Math.floor(seconds / 30);
  for (const steps of [-1, 0, 1]) expect(totpStepOf(RFC_SECRET, code, at(seconds + steps * 30))).toBe(step);
  for (const away of [2, 3]) expect(totpStepOf(RFC_SECRET, code, at(seconds + away * 30))).toBeNull();
  if (seconds > 60) expect(totpStepOf(RFC_SECRET, code, at(seconds - 60))).toBeNull();
  expect(totpStepOf(newTotpSecret('ada@example.com').secret, code, at(seconds))).toBeNull();
});

test.each(['', '12345', '1234567', '94287082', 'abcdef', '12 345', '１２３４５６'])('"%s" is no code', (code) => {
  expect(totpStepOf(RFC_SECRET, code, at(59))).toBeNull();
});

test('a secret may have padding, and be as short as 80 bits', () => {
  expect(totpStepOf('GEZDGNBVGY3TQOJQGEZDGNBVGY======', '000000', at(59))).toBeNull();
  expect(totpStepOf('JBSWY3DPEHPK3PXP', '996554', at(59))).toBe(1);
});
