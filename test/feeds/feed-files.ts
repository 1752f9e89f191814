/** Files of feeds as their publishers write them. */
export const kev = (...cves: string[]) =>
  JSON.stringify({
    title: 'CISA Catalog of Known Exploited Vulnerabilities',
    catalogVersion: '2026.02.10',
    vulnerabilities: cves.map((cveID) => ({
      cveID,
      vendorProject: 'V',
      product: 'P',
      dateAdded: '2026-02-01',
      knownRansomwareCampaignUse: 'Known',
    })),
  });
export const kevCsv = (...cves: string[]) =>
  `cveID,vendorProject,product,vulnerabilityName,dateAdded,shortDescription,requiredAction,dueDate,knownRansomwareCampaignUse,notes,cwes\n${cves.map((cve) => `${cve},V,P,"N, quoted",2026-02-01,S,A,2026-02-22,Unknown,,`).join('\n')}\n`;
export const epss = (scores: Record<string, number>) =>
  `#model_version:v2025.03.14,score_date:2026-02-10T12:55:00Z\ncve,epss,percentile\n${Object.entries(scores)
    .map(([cve, score]) => `${cve},${score},0.9`)
    .join('\n')}\n`;
