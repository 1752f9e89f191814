import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { firings } from '../../../kit/work/schedule.js';
import { FIRE_SCHEDULE, fireScheduleJob, fireSchedules } from './fire.js';
import { schedules } from './records.js';
import { changeSchedule, createSchedule, deleteSchedule, listSchedules, type ScheduleInput } from './service.js';

const tag = 'schedules';

/** When scans begin by themselves. */
export const schedulesPart: EnginePart = {
  prefixes: ['schedules'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { schedules: (_, args: PageArguments, context) => listSchedules(context, args) },
    Mutation: {
      create_schedule: (_, { input }: { input: ScheduleInput }, context) => createSchedule(context, input),
      update_schedule: (_, { id, input }: { id: string; input: ScheduleInput }, context) => changeSchedule(context, id, input),
      delete_schedule: (_, { id }: { id: string }, context) => deleteSchedule(context, id),
    },
  },
  routes: [
    { method: 'GET', path: '/schedules', field: 'schedules', tag },
    { method: 'POST', path: '/schedules', field: 'create_schedule', status: 201, tag },
    { method: 'PATCH', path: '/schedules/{id}', field: 'update_schedule', tag },
    { method: 'DELETE', path: '/schedules/{id}', field: 'delete_schedule', status: 204, tag },
  ],
  collections: [schedules, firings],
  jobs: { [FIRE_SCHEDULE]: fireScheduleJob },
  background: [fireSchedules],
};
