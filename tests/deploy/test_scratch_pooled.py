import collections, random, time
from concurrent.futures import ThreadPoolExecutor
import psycopg
from uuid import UUID
from api.core.ids import new_id
from api.store.database.session import Database, Session
from api.store.accounts import credentials
from api.accounts import tokens
from tests.deploy.test_pgbouncer import pooler, pooled
WHO="SELECT nullif(current_setting('card_referee.app',true),'')::uuid, (SELECT array_agg(DISTINCT app_id) FROM players)"
def test_p(pooled, sql, owner, settings):
    from api.accounts import keys
    with owner.at(settings.owner_database_url).begin() as c: K=[keys.create_app_key(c,n,['read','write'],None)[1] for n in('one','two','three')]
    A=[sql.execute("SELECT app_id FROM credentials WHERE hash=%s",(tokens.digest(k),)).fetchone()[0] for k in K]
    for a in A: sql.execute("INSERT INTO players (id,app_id,name,created_at) VALUES (gen_random_uuid(),%s,'x',now())",(a,))
    db=Database(pooled,timeout=5); n=collections.Counter()
    def verify(s,a,w):
        r=s.execute(WHO).fetchone(); n["verify"]+=1
        if r[0]!=a or r[1]!=([a] if a else None): n["WRONG"]+=1; print("WRONG",w,r,a)
    def work(seed):
        rnd=random.Random(seed); i=rnd.randint(0,2); a=A[i]; s=Session(db)
        try:
            if rnd.random()<.6: credentials.holder(s,tokens.digest(K[i]))
            elif rnd.random()<.3: credentials.holder(s,b"none"); verify(s,None,"none"); s.see(a)
            else: s.expect(a)
            verify(s,a,"begin"); w=rnd.random()
            if w<.3:
                with s.transaction(pipelined=rnd.random()<.5):
                    s.execute("UPDATE players SET name=%s",(str(rnd.random()),)); verify(s,a,"tx")
                    x=rnd.random()
                    if x<.2: raise ValueError
                    if x<.3: raise psycopg.Rollback
                    if x<.5: s.execute("SELECT 1/0")
            elif w<.4: s.execute("SELECT 1/0")
            elif w<.45: s.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            elif w<.55: s.execute_each("SELECT 1/%s::int",[(1,),(0,),(2,)])
            elif w<.65:
                with s.transaction(pipelined=True): s.execute("SELECT 1/0"); s.execute("UPDATE players SET name='y'")
            elif w<.7: s.execute_and_commit("SELECT 1/%s::int",(rnd.randint(0,1),))
            elif w<.75:
                try: s.execute("SELECT 1/0")
                except psycopg.Error: pass
            verify(s,a,"end")
            if rnd.random()<.4: s.see(A[(i+1)%3]); verify(s,A[(i+1)%3],"other")
            n["ok"]+=1
        except Exception as e: n[type(e).__name__]+=1
        finally: s.close()
    with ThreadPoolExecutor(12) as ex: list(ex.map(work,range(4000)))
    print(dict(n), sql.execute("SELECT state,count(*) FROM pg_stat_activity WHERE datname=current_database() GROUP BY 1").fetchall())
    db.close(); assert not n["WRONG"]
