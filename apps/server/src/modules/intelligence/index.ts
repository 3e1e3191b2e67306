export { createAdviceRoutes } from "./advice/advice.routes.ts";
export { askQuestion } from "./ask/ask-question.ts";
export { formatCell } from "./ask/format-cell.ts";
export { createVocabularyCache } from "./ask/named-vocabulary.ts";
export { createQuestionsRoutes } from "./ask/questions.routes.ts";
export { createDigestJobs } from "./digest/digest.jobs.ts";
export { createDigestRoutes } from "./digest/digest.routes.ts";
export { createFeedbackRoutes } from "./feedback/feedback.routes.ts";
export { createForecaster, createForecasterHere } from "./forecasts/forecaster.ts";
export { createForecastsJobs } from "./forecasts/forecasts.jobs.ts";
export { createForecastsRoutes } from "./forecasts/forecasts.routes.ts";
export { forecastsOfTenant } from "./forecasts/kept-forecasts.store.ts";
export { createIncidentFinder, findIncidentsHere } from "./incident-finder.ts";
export { createInsightsJobs } from "./insights.jobs.ts";
export {
  createAllInsightsRoutes,
  createInsightsRoutes,
  createInstallationInsightsRoutes,
} from "./insights.routes.ts";
export { insightsOfTenant } from "./insights-of-tenant.store.ts";
export { scanAll } from "./scan-all.ts";
