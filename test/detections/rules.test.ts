import { loadDetections } from '../../catalog/detections/rule-set.js';
it('loads', () => { const r = loadDetections(); console.log(r.all.size); });
