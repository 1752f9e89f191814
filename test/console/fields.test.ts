import { bodyOf, isFilled, shownOf, valuesOf, type Field } from '../../console/app/parts/fields.js';

const FIELDS: readonly Field[] = [
  { name: 'kind', label: 'Kind', kind: 'choice', options: ['a', 'b'], isNeeded: true, initial: 'a' },
  { name: 'name', label: 'Name', kind: 'text', isNeeded: true },
  { name: 'note', label: 'Note', kind: 'text', whenEmpty: null },
  { name: 'settings.size', label: 'Size', kind: 'number', when: ({ kind }) => kind === 'a' },
  { name: 'settings.names', label: 'Names', kind: 'lines' },
  { name: 'until', label: 'Until', kind: 'date' },
  { name: 'on', label: 'On', kind: 'flag', initial: true },
];

describe('a form that is data', () => {
  it('begins with what there is, or with what a new one begins with', () => {
    expect(valuesOf(FIELDS, {})).toEqual({ kind: 'a', name: '', note: '', 'settings.size': '', 'settings.names': [], until: '', on: true });
    const row = { kind: 'b', name: 'x', note: null, settings: { size: 3, names: ['p'] }, until: '2031-02-03T04:05:06.000Z', on: false };
    expect(valuesOf(FIELDS, row)).toEqual({
      kind: 'b',
      name: 'x',
      note: '',
      'settings.size': '3',
      'settings.names': ['p'],
      until: '2031-02-03',
      on: false,
    });
  });

  it('sends each at its place, without spaces around it and without what is empty', () => {
    const values = { kind: 'a', name: ' x ', note: ' ', 'settings.size': '7', 'settings.names': [' p', '', 'q'], until: '', on: false };
    expect(bodyOf(FIELDS, values)).toEqual({ kind: 'a', name: 'x', note: null, settings: { size: 7, names: ['p', 'q'] }, on: false });
  });

  it('asks for what goes with the rest alone, and sends that alone', () => {
    const values = { ...valuesOf(FIELDS, {}), kind: 'b', name: 'x', 'settings.size': '7', until: '2031-02-03' };
    expect(bodyOf(FIELDS, values)).toEqual({
      kind: 'b',
      name: 'x',
      note: null,
      settings: { names: [] },
      until: '2031-02-03T00:00:00.000Z',
      on: true,
    });
    const held = [{ ...FIELDS[0]!, isHeld: true }, ...FIELDS.slice(1)];
    expect(shownOf(held, values).map(({ name }) => name)).not.toContain('kind');
    expect(bodyOf(held, values)).not.toHaveProperty('kind');
  });

  it('is filled in once all that is needed is', () => {
    expect(isFilled(FIELDS, valuesOf(FIELDS, {}))).toBe(false);
    expect(isFilled(FIELDS, { ...valuesOf(FIELDS, {}), name: 'x' })).toBe(true);
    const lines: Field[] = [{ name: 'to', label: 'To', kind: 'lines', isNeeded: true }];
    expect([isFilled(lines, { to: [' '] }), isFilled(lines, { to: ['a'] })]).toEqual([false, true]);
  });
});
