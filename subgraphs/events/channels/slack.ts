import type { Outbound } from '../../../kit/outbound/outbound.js';
import { callTarget, shownText } from './call-target.js';
import { refusal } from './channel-error.js';
import { findingUrl, headline, oneLine, resourceLine, restLine, severityLine, type Digest } from './digest.js';

/** Characters that a section holds (Slack, "Text object"); Slack refuses a message with a longer one. */
const A_SECTION = 3_000;

/** Text as it may stand in Slack's mrkdwn where it is `verbatim`: no link, no mention, no channel call can be made of it (Slack, "Formatting text"). */
export const escapeMrkdwn = (text: string): string => text.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark]!);

/** `verbatim` keeps Slack from making links and mentions of plain addresses and names. */
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });

/** A digest as Slack's incoming webhooks take it; `text` is what compatible services and notifications show. */
export function digestPost(digest: Digest, publicUrl: string | undefined) {
  const line = (finding: Digest['findings'][number]) => {
    const title = escapeMrkdwn(oneLine(finding.title, 150));
    const shown = publicUrl === undefined ? title : `<${findingUrl(publicUrl, finding)}|${title}>`;
    return `*${finding.severity}* ${shown}\n${escapeMrkdwn(resourceLine(finding))}`;
  };
  const lines = digest.findings.map(line);
  const rest = restLine(digest);
  const summary = `${headline(digest)}: ${severityLine(digest)}`;
  return {
    text: `${summary} (${escapeMrkdwn(oneLine(digest.rule.name, 100))})`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headline(digest) } },
      section(`${severityLine(digest)} · rule ${escapeMrkdwn(oneLine(digest.rule.name, 100))}`),
      ...packed(lines).map(section),
      ...(rest === null ? [] : [section(rest)]),
    ],
  };
}

/** Lines in as few texts as hold them; escaped, a line may be several times as long as it was. */
function packed(lines: readonly string[]): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const longer = `${texts.at(-1)}\n${line}`;
    if (texts.length > 0 && longer.length <= A_SECTION) texts[texts.length - 1] = longer;
    else texts.push(line);
  }
  return texts;
}

/** Posts to an incoming webhook. @throws ChannelError with what the service said */
export async function post(outbound: Outbound, url: string, message: object): Promise<void> {
  const { status, text } = await callTarget(outbound, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  if (status < 200 || status > 299) throw refusal(status, shownText(text));
}
