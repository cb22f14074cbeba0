"""What can be set: a field for each setting, with its reader, its default and what it is for."""

# Only the standard library is imported: the web server's master imports this before gevent patches workers.
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from api.core import readers
from api.core.readers import KIB, setting

EVERYWHERE = "every command but openapi"
OWNER = "migrate, keys, apps, rotate-keys, backup, restore, verify, detach"
WEB = "web"
WORKER, BOTH = "worker", "web, worker"


@dataclass(frozen=True)
class DeclaredSettings:
    """All settings. The addresses are empty until the embedded database is found or started."""

    database_url: str = setting(
        readers.read_database,
        "",
        "The service's own PostgreSQL address: a login that is a member of the role card_referee_app.",
        EVERYWHERE,
        unset="the embedded database",
    )
    owner_database_url: str = setting(
        readers.read_database,
        "",
        "Where migrations and the operator's commands run, as the owner of the tables.",
        OWNER,
        unset="DATABASE_URL",
    )
    worker_database_url: str = setting(
        readers.read_database,
        "",
        "The job worker's own address: a login that is a member of the role card_referee_worker.",
        WORKER,
        unset="DATABASE_URL, whose login then has to be a member of that role",
    )
    direct_database_url: str = setting(
        readers.read_database,
        "",
        "The same database past a pooler such as PgBouncer: waiting for notices needs its own session. The "
        "worker has its own login there, too.",
        BOTH,
        unset="DATABASE_URL; WORKER_DATABASE_URL for the worker",
    )
    encryption_keys: tuple[str, ...] = setting(
        readers.read_encryption_keys,
        (),
        "Keys that encrypt hidden cards, seeds and secrets in the database, the newest first.",
        "web, worker, migrate, rotate-keys",
        unset="the embedded database has its own key; any other database is not encrypted",
        secret=True,
    )
    server_name: str = setting(
        readers.read_server_name,
        "",
        "The server's name in signatures, such as `cards.example.org`. A new name creates a new key.",
        "migrate, log-keys rotate",
        unset="a name created at the first start",
    )
    witnesses: tuple[str, ...] = setting(
        readers.read_witnesses,
        (),
        "Keys of witnesses whose cosignatures of the log of all games are accepted and shown, separated by "
        "commas (docs/audit.md).",
        WEB,
        unset="no cosignatures are accepted",
    )
    features: tuple[str, ...] = setting(
        readers.read_features,
        (),
        "What the service can do beyond its core, separated by commas; what these need comes along "
        "(ARCHITECTURE.md). The others have no operations and no jobs; without `limits` nothing is limited.",
        BOTH,
        unset="all features",
    )
    host: str = setting(readers.read_host, "127.0.0.1", "Address to listen on.", WEB)
    port: int = setting(readers.whole(0, 65535), 8080, "Port to listen on; 0 is any free one.", WEB)
    workers: int = setting(
        readers.whole(1, 64), 1, "Web processes.", WEB, unset="one for each core, at most 4"
    )
    data_dir: Path = setting(
        readers.read_directory,
        Path(),
        "Where the embedded PostgreSQL keeps its data; not used with DATABASE_URL.",
        EVERYWHERE,
        unset="root: /var/lib/card-referee; others: card-referee in XDG_DATA_HOME or ~/.local/share",
    )
    pool_size: int = setting(
        readers.whole(1, 100), 8, "Database connections of one web process or worker.", BOTH
    )
    database_timeout: int = setting(
        readers.whole(2, 600),
        10,
        "Seconds after which a request is answered 503 if the database says nothing. Statements of a web "
        "process end in the database itself shortly before. Long requests have 0.8 × COMPUTE_TIMEOUT, if "
        "that is more.",
        WEB,
    )
    max_body: int = setting(
        readers.whole(KIB, 64 * KIB * KIB), 256 * KIB, "Maximum size of a request's body, in bytes.", WEB
    )
    max_record_body: int = setting(
        readers.whole(KIB, 256 * KIB * KIB),
        16 * KIB * KIB,
        "Maximum size of a body that contains a record, in bytes.",
        WEB,
    )
    body_timeout: int = setting(
        readers.whole(1, 3600), 60, "Seconds within which a request's body must arrive.", WEB
    )
    compute_workers: int = setting(
        readers.whole(0, 64),
        2,
        "Processes for requests that take long; with 0 the web processes do it themselves.",
        WEB,
    )
    compute_timeout: int = setting(
        readers.whole(1, 3600), 30, "Maximum time for such a request, in seconds.", WEB
    )
    compute_queue: int = setting(
        readers.whole(1, 10_000),
        8,
        "Such requests of one app in a web process, worked on or waiting; of further ones, those of who has "
        "the most get 429. Half as many for guests and callers without a token together.",
        WEB,
    )
    concurrency: int = setting(
        readers.whole(1, 1000),
        8,
        "Requests that one web process works on at once. Others wait in the line of their app, and apps and "
        "their keys take turns; while more than one app is there, each can have a quarter.",
        WEB,
    )
    max_waiting: int = setting(
        readers.whole(1, 10_000),
        1000,
        "Requests of one app that can wait in a web process; of further ones, those of whoever has "
        "the most get 429. Requests without a token, or with one that was not looked up yet, wait by address "
        "and count together.",
        WEB,
    )
    rate_limit: str | None = setting(  # about half of what a server of two cores can do
        readers.read_rate, "30000/minute", "Requests of one key or token, weighted by their cost.", WEB
    )
    address_rate_limit: str | None = setting(
        readers.read_rate, "60000/minute", "Requests from one address, weighted by their cost.", WEB
    )
    rate_limit_storage: str = setting(
        readers.read_storage,
        "",
        "A Redis or Valkey in which all web processes, on all hosts, count requests together.",
        WEB,
        unset="each web process counts by itself, and has its part of every limit",
        secret=True,
    )
    max_streams: int = setting(
        readers.whole(1, 1_000_000),
        1000,
        "Streams and long polls that one caller may have open; each web process has its part.",
        WEB,
    )
    worker_connections: int = setting(
        readers.whole(10, 60_000),
        10_000,
        "Connections that one web process has open at once; while it has so many, it takes no others."
        " A stream or long poll is one, and takes about 30 kB.",
        WEB,
    )
    write_timeout: int = setting(
        readers.whole(1, 3600),
        30,
        "Seconds after which a connection is closed whose client takes nothing of what is sent to it.",
        WEB,
    )
    process_timeout: int = setting(
        readers.whole(2, 3600),
        15,
        "Seconds after which a web process that shows no sign of life is replaced. Without compute processes"
        " it has COMPUTE_TIMEOUT, if that is more.",
        WEB,
    )
    max_app_streams: int = setting(
        readers.whole(1, 1_000_000),
        2000,
        "The same for all callers of one app together; a player of it gets a twentieth. Guests of the server"
        " count by address.",
        WEB,
    )
    max_games: int = setting(readers.whole(1, 10_000_000), 10_000, "Games of one app that are not over.", WEB)
    max_player_games: int = setting(
        readers.whole(1, 10_000_000),
        200,
        "Games that one player or guest has made, also by a seek, and that are not over.",
        WEB,
    )
    max_network_games: int = setting(
        readers.whole(1, 10_000_000),
        1000,
        "The same for all guests of one network together: an IPv4 address, or an IPv6 network of 64 bits.",
        WEB,
    )
    max_players: int = setting(readers.whole(1, 10_000_000), 100_000, "Players of one app.", WEB)
    max_tokens: int = setting(
        readers.whole(1, 1_000_000),
        1000,
        "Valid tokens of one player, and valid keys of one app. Keys that are created at the command line "
        "are not limited.",
        WEB,
    )
    trusted_proxies: int = setting(
        readers.whole(0, 10),
        0,
        "The number of proxies in front of the server that set the caller's address in X-Forwarded-For.",
        WEB,
    )
    cors_origins: tuple[str, ...] = setting(
        readers.read_origins,
        (),
        "Sites whose scripts may call the API from a browser (CORS).",
        WEB,
        unset="none",
    )
    embed_origins: tuple[str, ...] = setting(
        readers.read_origins,
        (),
        "Sites whose pages may embed tables, in frames or with the custom element.",
        WEB,
        unset="none",
    )
    guests: bool | None = setting(
        readers.read_switch,
        None,
        "Whether anyone may become a guest and create games without a key.",
        WEB,
        unset="true for `serve` on loopback, otherwise false",
    )
    guest_rate_limit: str | None = setting(
        readers.read_rate, "60 per minute", "Guests created from one address.", WEB
    )
    guest_day_limit: str | None = setting(readers.read_rate, "300 per day", "The same over a day.", WEB)
    bots_most_entries: int = setting(
        readers.whole(100, 10_000_000),
        20_000,
        "Entries since the last one of a player after which a game is called off that only bots play; where "
        "a player sits, only the log and `referee_endless_games` tell. The longest of thousands of random "
        "games had 10,000 (palace); some of dog_cards do not end.",
        BOTH,
    )
    idempotency_hours: int = setting(
        readers.whole(24, 24 * 365), 24, "Hours for which the answer for an Idempotency-Key is kept.", BOTH
    )
    delivery_days: int = setting(
        readers.whole(1, 3650),
        30,
        "Days for which deliveries to webhooks, and notices to players, are kept.",
        WORKER,
    )
    refusal_days: int = setting(
        readers.whole(1, 3650), 3, "Days for which refused requests of apps are kept.", WORKER
    )
    max_wait: int = setting(readers.whole(0, 600), 60, "Maximum duration of a long poll, in seconds.", WEB)
    allow_private_webhooks: bool = setting(
        readers.read_switch,
        False,
        "Allow webhooks to addresses that are not public, including this machine. Only for tests and "
        "private networks.",
        BOTH,
    )
    webhook_ports: tuple[int, ...] | None = setting(
        readers.read_ports,
        (80, 443),
        "The ports that webhooks may use.",
        BOTH,
        unset="80,443; any with ALLOW_PRIVATE_WEBHOOKS",
    )
    public_url: str = setting(
        readers.read_url,
        "",
        "The public address of this server, such as `https://cards.example.org`, used for links in mails.",
        BOTH,
        unset="no mail is sent",
    )
    mail_from: str = setting(
        readers.read_mail_address,
        "",
        "The sender of mails to players, such as `Card Referee <cards@example.org>`.",
        BOTH,
        unset="no mail is sent",
    )
    mail_bounces: str = setting(
        readers.read_bounces,
        "",
        "The address at which mails come back. Each mail gets an address of its own, such as "
        "`bounces+TOKEN@example.org`; what arrives there is to be posted to `/mail/bounces`.",
        BOTH,
        unset="mails come back to MAIL_FROM, and nobody notes it",
    )
    confirmation_mails: int = setting(
        readers.whole(1, 1_000_000),
        500,
        "How many addresses an app's players may ask to have confirmed in a day.",
        WEB,
    )
    smtp_url: str = setting(
        readers.read_smtp,
        "",
        "The mail server. The connection must be encrypted, by STARTTLS or from the start (`smtps`), unless "
        "it is on this machine.",
        WORKER,
        unset="no mail is sent",
        secret=True,
    )
    metrics_token: str = setting(
        readers.read_token,
        "",
        "The bearer token that is needed to read /metrics.",
        WEB,
        unset="nobody can read it",
        secret=True,
    )
    worker_health_port: int = setting(
        readers.whole(0, 65535),
        0,
        "Port of HOST on which the job worker answers /healthz and, with METRICS_TOKEN, /metrics.",
        WORKER,
        unset="it does not",
    )
    log_level: str = setting(readers.read_level, "info", "The lowest level of lines that are logged.", BOTH)
