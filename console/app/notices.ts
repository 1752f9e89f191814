import { signal } from '@preact/signals';

/** A sentence about what was done, with the way back where there is one. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

export const notices = signal<readonly Notice[]>([]);
/** Milliseconds in which something can be undone. */
const SHOWN = 10_000;
let made = 0;

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

function show(notice: Omit<Notice, 'id'>): void {
  const id = ++made;
  notices.value = [...notices.value.slice(-2), { ...notice, id }];
  setTimeout(() => dismiss(id), SHOWN);
}

/** Says what was done. */
export const tell = (text: string, action: Notice['action'] = null): void => show({ text, isProblem: false, action });

/** Says what was refused, and why. */
export const tellProblem = (text: string, action: Notice['action'] = null): void => show({ text, isProblem: true, action });
