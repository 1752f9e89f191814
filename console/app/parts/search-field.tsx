import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../keys.js';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly search: (text: string) => void;
}

/** Milliseconds of silence after which what was typed is looked for. */
const PAUSE = 300;

/** A field whose text filters the list; `/` leads to it. */
export function SearchField({ label, value, search }: SearchFieldProps) {
  const place = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => search(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  useKeys(1, [{ key: '/', words: 'Search', run: () => place.current?.focus() }]);
  return (
    <input
      ref={place}
      type="search"
      aria-label={label}
      placeholder={`${label} ( / )`}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
