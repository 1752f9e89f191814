import { z } from 'zod';

const source = z.looseObject({
  says: z.string().describe('The part, in words.'),
  engine: z.string().nullable().describe('The engine whose findings or views it rests on; null where the inventory itself tells it.'),
  resource_uids: z.array(z.string()).describe('The resources that it is about.'),
  finding_ids: z.array(z.string()).describe('The findings that it rests on, of that engine.'),
});

/** `findingData` of a combination: what came together, and why that is worse. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  combination: z.string().nullish().describe('Name of the combination.'),
  group: z.string().nullish().describe('Which side of the estate it is a risk of.'),
  parts: z.array(z.string()).nullish().describe('What came together, in words.'),
  sources: z.array(source).nullish().describe('What each part rests on. Of engines that the caller may not read it tells the words alone.'),
  issue_id: z.string().nullish().describe('Id of the issue at the scanner.'),
});

/** The evidence with nothing in it of engines that the caller may not read but what kind of thing they tell. */
export function shownEvidence(data: Record<string, unknown>, canRead: (engine: string) => boolean): Record<string, unknown> {
  const sources = z.array(source).safeParse(data['sources']);
  if (!sources.success) return data;
  const shown = sources.data.map((one) =>
    one.engine === null || canRead(one.engine)
      ? one
      : { says: one.says, engine: one.engine, resource_uids: [], finding_ids: [], restricted: true },
  );
  return { ...data, sources: shown };
}
