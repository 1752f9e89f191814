import { attackTactics } from '../../../catalog/attack.js';
import { isCovered, type MitreCoverage, type MitreTechnique } from './coverage.js';

/** What only rules look for, which found nothing. */
const WATCHED = '#c6dbef';
/** From one thing to many. */
const GRADIENT = ['#fee6ce', '#e6550d'];

const scoreOf = ({ detections, open_findings }: MitreTechnique): number => detections + open_findings;

/**
 * The coverage as a layer of ATT&CK Navigator. The score of a technique is the number of its detections and open findings.
 * @see https://github.com/mitre-attack/attack-navigator/blob/master/layers/spec/v4.5/layerformat.md
 */
export function navigatorLayer({ tactics }: Pick<MitreCoverage, 'tactics'>): object {
  const short = new Map(attackTactics().map((tactic) => [tactic.tactic_id, tactic.short]));
  const techniques = tactics.flatMap(({ tactic_id, techniques: own }) =>
    own.filter(isCovered).map((technique) => {
      const { technique_id, detections, open_findings, rules } = technique;
      const score = scoreOf(technique);
      return {
        techniqueID: technique_id,
        tactic: short.get(tactic_id)!,
        enabled: true,
        comment: `${detections} detections, ${open_findings} open findings, ${rules} rules`,
        ...(score > 0 ? { score } : { color: WATCHED }),
        metadata: [
          { name: 'detections', value: String(detections) },
          { name: 'open findings', value: String(open_findings) },
          { name: 'rules', value: String(rules) },
        ],
      };
    }),
  );
  const most = Math.max(1, ...tactics.flatMap((tactic) => tactic.techniques.map(scoreOf)));
  return {
    name: 'Palisade',
    versions: { layer: '4.5', navigator: '5.1.0' },
    domain: 'enterprise-attack',
    description: 'Detections, open findings and rules of Palisade by technique.',
    sorting: 3,
    techniques,
    gradient: { colors: GRADIENT, minValue: 0, maxValue: most },
    legendItems: [{ label: 'Rules look for it, nothing was found', color: WATCHED }],
    showTacticRowBackground: false,
    selectTechniquesAcrossTactics: false,
    selectSubtechniquesWithParent: false,
  };
}
