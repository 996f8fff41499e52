"""How the flows are run: deployments, work pools, schedules, and the command line's short names."""
