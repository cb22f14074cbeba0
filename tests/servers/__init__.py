"""Real servers, proxies, clusters, mailboxes and receivers that tests start."""
