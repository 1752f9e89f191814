import type { FindingStatus } from '../../schema/model.js';
import type { EngineDefinition } from '../../kit/engine/engine.js';
import type { PageArguments } from '../../kit/store/paging.js';
import { assetContext } from './asset-context.js';
import { setStatus, timelineOf, viewFinding } from './detail.js';
import { linkTicket, unlinkTicket, type TicketInput } from './ticket.js';

interface Named {
  engine: string;
  id: string;
}

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    asset_context: (_, args: { resource_uid: string }, context) => assetContext(context, args.resource_uid),
    finding_view: (_, args: Named, context) => viewFinding(context, args.engine, args.id),
    finding_timeline: (_, args: Named & PageArguments, context) => timelineOf(context, args.engine, args.id, args),
  },
  Mutation: {
    set_finding_status: (
      _,
      args: Named & { input: { status: FindingStatus; note?: string | null }; expected_version?: number | null },
      context,
    ) => setStatus(context, args.engine, args.id, args.input, args.expected_version ?? null),
    set_finding_ticket: (_, args: Named & { input: TicketInput }, context) => linkTicket(context, args.engine, args.id, args.input),
    remove_finding_ticket: (_, args: Named, context) => unlinkTicket(context, args.engine, args.id),
  },
};
