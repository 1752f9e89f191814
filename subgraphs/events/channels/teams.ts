import { findingUrl, headline, oneLine, resourceLine, severityLine, type Digest } from './digest.js';

/** Bytes of a card that Teams takes are 28 KB in all; findings beyond are counted. */
const MOST_BYTES = 24_000;

interface Run {
  type: 'TextRun';
  text: string;
  weight?: 'Bolder';
  isSubtle?: true;
  selectAction?: { type: 'Action.OpenUrl'; url: string };
}
interface Block {
  type: 'RichTextBlock';
  separator?: true;
  inlines: Run[];
}

const run = (text: string, more: Partial<Run> = {}): Run => ({ type: 'TextRun', text, ...more });
const line = (...inlines: Run[]): Block => ({ type: 'RichTextBlock', inlines });

/** A message as a workflow of Teams takes it ("When a Teams webhook request is received"): one Adaptive Card. */
const cardMessage = (body: readonly Block[]) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: { $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4', body },
    },
  ],
});

/** A few words as a card. */
export const textCard = (text: string) => cardMessage([line(run(text))]);

/** A digest as a card. Texts are runs, of which Teams makes no Markdown, no link and no mention. */
export function digestCard(digest: Digest, publicUrl: string | undefined) {
  const blocks = [
    line(run(headline(digest), { weight: 'Bolder' })),
    line(run(`${severityLine(digest)} · rule ${oneLine(digest.rule.name, 100)}`, { isSubtle: true })),
  ];
  let left = MOST_BYTES;
  let listed = 0;
  for (const finding of digest.findings) {
    const selectAction = { type: 'Action.OpenUrl', url: findingUrl(publicUrl, finding) } as const;
    const title = run(`${oneLine(finding.title, 150)}\n`, publicUrl === undefined ? {} : { selectAction });
    const block: Block = {
      ...line(run(`${finding.severity} `, { weight: 'Bolder' }), title, run(resourceLine(finding), { isSubtle: true })),
      separator: true,
    };
    left -= Buffer.byteLength(JSON.stringify(block));
    if (left < 0) break;
    blocks.push(block);
    listed += 1;
  }
  if (digest.total > listed) blocks.push(line(run(`and ${digest.total - listed} more`, { isSubtle: true })));
  return cardMessage(blocks);
}
