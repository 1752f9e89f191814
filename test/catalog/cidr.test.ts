import { isAnyCidr, isPublicCidr } from '../../catalog/cel/cidr.js';
import { verdict } from './verdict.js';

it.each(['0.0.0.0/0', '::/0', '*', 'any', 'Any', 'Internet', ' 0.0.0.0/0 ', '0.0.0.0', '0.0.0.1/0', '0:0:0:0:0:0:0:0/0'])(
  '%s is every address',
  (cidr) => {
    expect(isAnyCidr(cidr)).toBe(true);
    expect(isPublicCidr(cidr)).toBe(true);
  },
);

it.each(['10.0.0.0/8', '0.0.0.0/1', '::1/128', 'VirtualNetwork', 'sg-12345', '', '10.0.0.0/10'])('%s is not every address', (cidr) => {
  expect(isAnyCidr(cidr)).toBe(false);
});

it.each(['0.0.0.0/1', '128.0.0.0/1', '8.0.0.0/8', '12.0.0.0/6', '2001::/16', '2000::/3'])(
  '%s is a large range of public addresses',
  (cidr) => {
    expect(isPublicCidr(cidr)).toBe(true);
  },
);

it.each([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '203.0.113.0/24',
  '8.8.8.8/32',
  '2001:db8::/32',
  'fd00::/8',
  'fe80::/10',
  'fc00::/7',
  '8.8.8.8',
  'not a range',
  '',
])('%s is none', (cidr) => {
  expect(isPublicCidr(cidr)).toBe(false);
});

it('expressions ask the same', () => {
  expect(verdict('is_any_cidr(r.cidr) && is_public_cidr(r.cidr)', { cidr: '::/0' })).toBe('PASS');
  expect(verdict('is_any_cidr(r.cidr)', { cidr: '8.0.0.0/8' })).toBe('FAIL');
  expect(verdict('is_any_cidr(r.cidr)', { cidr: '${var.cidr}' })).toBe('NOT_EVALUATED');
});
