import { implement } from "@orpc/server";
import { alertsContract } from "@turnpike/contract/alerts";
import { nameSenderIn } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import type { Queue } from "#modules/analytics/index.ts";
import {
  createAlert,
  deleteAlert,
  getAlert,
  listAlertHistory,
  listAlerts,
  pauseAlert,
  resumeAlert,
  updateAlert,
} from "./manage-alerts.ts";
import type { NotifyOfAlertDeps } from "./notify-of-alert.ts";
import { previewAlert } from "./preview-alert.ts";
import { getQuotaAlerts, setQuotaAlerts } from "./quotas/manage-quota-alerts.ts";
import { getRunOutAlerts, setRunOutAlerts } from "./run-outs/manage-run-out-alerts.ts";
import { testAlert } from "./test-alert.ts";

/** Operations that query usage queue together with the other usage queries of this process. */
export type AlertsDeps = NotifyOfAlertDeps & { inTurn: Queue };

export function createAlertsRoutes(deps: AlertsDeps) {
  const os = implement(alertsContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        createAlert(deps, call, input),
      );
    }),
    list: os.list.handler(({ input, context }) => listAlerts(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getAlert(deps, context.call(), input)),
    update: os.update.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        updateAlert(deps, call, input),
      );
    }),
    pause: os.pause.handler(({ input, context }) => pauseAlert(deps, context.call(), input)),
    resume: os.resume.handler(({ input, context }) => resumeAlert(deps, context.call(), input)),
    delete: os.delete.handler(({ input, context }) => deleteAlert(deps, context.call(), input)),
    test: os.test.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        testAlert(deps, call, input),
      );
    }),
    history: os.history.handler(({ input, context }) =>
      listAlertHistory(deps, context.call(), input),
    ),
    preview: os.preview.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        previewAlert(deps, call, input),
      );
    }),
    getQuotaAlerts: os.getQuotaAlerts.handler(({ input, context }) =>
      getQuotaAlerts(deps, context.call(), input),
    ),
    setQuotaAlerts: os.setQuotaAlerts.handler(({ input, context }) =>
      setQuotaAlerts(deps, context.call(), input),
    ),
    getRunOutAlerts: os.getRunOutAlerts.handler(({ input, context }) =>
      getRunOutAlerts(deps, context.call(), input),
    ),
    setRunOutAlerts: os.setRunOutAlerts.handler(({ input, context }) =>
      setRunOutAlerts(deps, context.call(), input),
    ),
  });
}
