"""What can be set: a line for each setting, with its reader, its default, who uses it and what it is for."""

# Only the standard library is imported: the web server's master imports this before gevent patches workers.
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from api.core import readers
from api.core.readers import KIB, setting, whole

EVERYWHERE = "every command but openapi"
OWNER = "migrate, keys, apps, rotate-keys, backup, restore, verify, detach"
WEB = "web"
WORKER, BOTH = "worker", "web, worker"
OWN = "the embedded database"
NO_MAIL = "no mail is sent"


@dataclass(frozen=True)
class Constants:
    """What is right for everybody; only tests choose other values."""

    database_timeout: int = 10  # seconds after which a request is answered 503 if the database says nothing
    max_body: int = 256 * KIB  # bytes of a request's body, but of one that contains a record
    body_timeout: int = 60  # seconds within which a request's body must arrive
    write_timeout: int = 30  # seconds after which a client is disconnected that takes nothing of an answer
    compute_queue: int = 8  # long requests that can wait in a web process
    max_waiting: int = 1000  # requests that can wait in a web process
    worker_connections: int = 10_000  # of one web process, of about 30 kB
    bots_most_entries: int = 20_000  # since the last one of a player; the longest of thousands had 10,000
    idempotency_hours: int = 24  # for which the response for an Idempotency-Key is kept
    refusal_days: int = 3  # for which refused requests of apps are kept


@dataclass(frozen=True)
class BasicSettings(Constants):
    """What most operators choose. The addresses are empty until the embedded database is found or started."""

    database_url: str = setting(
        readers.read_database, "", EVERYWHERE, "PostgreSQL, with a login of the role card_referee_app.", OWN
    )
    owner_database_url: str = setting(
        readers.read_database, "", OWNER, "The same, with the login of the tables' owner.", "DATABASE_URL"
    )
    worker_database_url: str = setting(
        readers.read_database,
        "",
        WORKER,
        "The same, with a login of the role card_referee_worker.",
        "DATABASE_URL",
    )
    data_dir: Path = setting(
        readers.read_directory,
        Path(),
        EVERYWHERE,
        "Where the embedded PostgreSQL keeps its data.",
        "root: /var/lib/card-referee; others: card-referee in XDG_DATA_HOME or ~/.local/share",
    )
    encryption_keys: tuple[str, ...] = setting(
        readers.read_encryption_keys,
        (),
        "web, worker, migrate, rotate-keys",
        "Keys that encrypt hidden cards, seeds and secrets in the database, the newest first.",
        "the embedded database has its own key; any other database is not encrypted",
        secret=True,
    )
    host: str = setting(readers.read_host, "127.0.0.1", WEB, "Address to listen on.")
    port: int = setting(whole(0, 65535), 8080, WEB, "Port to listen on; 0 is any free one.")
    workers: int = setting(whole(1, 64), 1, WEB, "Web processes.", "one for each core, at most 4")
    trusted_proxies: int = setting(
        whole(0, 10), 0, WEB, "How many proxies in front set the caller's address in X-Forwarded-For."
    )
    public_url: str = setting(
        readers.read_url,
        "",
        BOTH,
        "Public address, such as `https://cards.example.org`, for links in mails.",
        NO_MAIL,
    )
    mail_from: str = setting(
        readers.read_mail_address,
        "",
        BOTH,
        "Sender of mails to players, such as `Card Referee <cards@example.org>`.",
        NO_MAIL,
    )
    smtp_url: str = setting(
        readers.read_smtp,
        "",
        WORKER,
        "Mail server, by STARTTLS or `smtps` unless it is on this machine.",
        NO_MAIL,
        secret=True,
    )
    guests: bool | None = setting(
        readers.read_switch,
        None,
        WEB,
        "Whether anyone may become a guest and create games without a key.",
        "true for `serve` on loopback, otherwise false",
    )
    cors_origins: tuple[str, ...] = setting(
        readers.read_origins, (), WEB, "Sites whose scripts may call the API from a browser (CORS).", "none"
    )
    embed_origins: tuple[str, ...] = setting(
        readers.read_origins, (), WEB, "Sites whose pages may embed tables.", "none"
    )
    metrics_token: str = setting(
        readers.read_token, "", WEB, "Bearer token for /metrics.", "nobody can read it", secret=True
    )
    features: tuple[str, ...] = setting(
        readers.read_features,
        (),
        BOTH,
        "What the service can do beyond its core; what these need comes along.",
        "all features",
    )
    log_level: str = setting(readers.read_level, "info", BOTH, "The lowest level of lines that are logged.")


@dataclass(frozen=True)
class DeclaredSettings(BasicSettings):
    """All settings: these are for large or unusual installations."""

    direct_database_url: str = setting(
        readers.read_database,
        "",
        BOTH,
        "The same database past a pooler such as PgBouncer: LISTEN needs its own session.",
        "DATABASE_URL; WORKER_DATABASE_URL for the worker, which has its own login there, too",
    )
    server_name: str = setting(
        readers.read_server_name,
        "",
        "migrate, log-keys rotate",
        "Name in signatures, such as `cards.example.org`; a new name creates a new key.",
        "a name created at the first start",
    )
    witnesses: tuple[str, ...] = setting(
        readers.read_witnesses,
        (),
        WEB,
        "Keys of witnesses whose cosignatures are accepted (docs/guides/audit.md).",
        "none is accepted",
    )
    pool_size: int = setting(whole(1, 100), 8, BOTH, "Database connections of one web process or worker.")
    max_record_body: int = setting(
        whole(KIB, 256 * KIB * KIB),
        16 * KIB * KIB,
        WEB,
        "Bytes of a body that contains a record.",
    )
    concurrency: int = setting(
        whole(1, 1000),
        8,
        WEB,
        "Requests that one web process works on at once; of several apps, each can have a quarter.",
    )
    compute_workers: int = setting(
        whole(0, 64), 2, WEB, "Processes for requests that take long; with 0 web processes do it themselves."
    )
    compute_timeout: int = setting(whole(1, 3600), 30, WEB, "Seconds that such a request may take.")
    process_timeout: int = setting(
        whole(2, 3600),
        15,
        WEB,
        "Seconds after which a silent web process is replaced.",
    )
    rate_limit: str | None = setting(  # about half of what a server of two cores can do
        readers.read_rate, "30000/minute", WEB, "Requests of one key or token, weighted by their cost."
    )
    address_rate_limit: str | None = setting(
        readers.read_rate, "60000/minute", WEB, "Requests from one address, weighted by their cost."
    )
    rate_limit_storage: str = setting(
        readers.read_storage,
        "",
        WEB,
        "A Redis or Valkey in which all web processes, on all hosts, count requests together.",
        "each web process counts by itself, and has its part of every limit",
        secret=True,
    )
    guest_rate_limit: str | None = setting(
        readers.read_rate, "60 per minute", WEB, "Guests created from one address."
    )
    max_streams: int = setting(
        whole(1, 1_000_000),
        10_000,
        WEB,
        "Streams that are open at once, each web process a part.",
    )
    max_games: int = setting(
        whole(1, 10_000_000), 10_000, WEB, "Games of one app that are not over; one player makes a tenth."
    )
    max_players: int = setting(
        whole(1, 10_000_000), 100_000, WEB, "Players of one app; a tenth are guests of one network."
    )
    max_tokens: int = setting(
        whole(1, 1_000_000), 1000, WEB, "Valid tokens of one player, and keys that an app made by the API."
    )
    confirmation_mails: int = setting(
        whole(1, 1_000_000), 500, WEB, "Addresses that an app's players may ask to have confirmed in a day."
    )
    delivery_days: int = setting(
        whole(1, 3650), 30, WORKER, "Days for which deliveries and notices to players are kept."
    )
    allow_private_webhooks: bool = setting(
        readers.read_switch,
        False,
        BOTH,
        "Allow webhooks to addresses that are not public. Only for tests and private networks.",
    )
    webhook_ports: tuple[int, ...] | None = setting(
        readers.read_ports,
        (80, 443),
        BOTH,
        "The ports that webhooks may use.",
        "80,443; any with ALLOW_PRIVATE_WEBHOOKS",
    )
    worker_health_port: int = setting(
        whole(0, 65535),
        0,
        WORKER,
        "Port of HOST on which the worker answers /healthz and /metrics.",
        "it does not",
    )
